import type { Json } from "../../contract/json.ts";
import { AgentConfig } from "../../contract/schemas/agents.ts";
import type { Session } from "../../contract/schemas/sessions.ts";
import { presentSession } from "../present/session.ts";
import { loadRecords } from "../present/sources.ts";
import { performSoon } from "../run/perform.ts";
import type { SessionConfig } from "../session/config.ts";
import { createSession as decideSession } from "../session/decide/create.ts";
import { pendingCalls } from "../session/decision.ts";
import { effects } from "../session/effects.ts";
import type { SessionState } from "../session/state.ts";
import { decodeCursor, positions } from "./cursor.ts";
import { checkDeliverable } from "./deliverable.ts";
import { ApiError, notFound } from "./error.ts";
import { unlessGone } from "./gone.ts";
import { couldExist, mint } from "./ids.ts";
import { checkInput } from "./input-checks.ts";
import type { ApiPorts, ApiRequest, Operation } from "./operation.ts";
import { pageOf } from "./page.ts";
import { checkConnections, checkEnvironment, checkSubject } from "./session-checks.ts";

/** post_sessions: everything is checked first, then the session and its first input are one commit. */
export const createSession: Operation<"post_sessions"> = async (ports, request, keep) => {
  const { projectId, body } = request;
  const { config, agentConfig } = await sessionConfig(ports, request);
  const { id: sessionId, at } = mint(ports, "ses");
  const target = { sessionId, model: config.model, environment: body.environment.type };
  const first = body.input === undefined ? null : checkInput(ports.blobs, target, body.input);
  const decision = decideSession({ sessionId, projectId, input: first?.input ?? null, at });
  const answer = { status: 201, body: await showNew(ports, config, agentConfig, decision.state) };
  checkDeliverable("The session", answer.body);
  await ports.store.create(config, decision, first?.uploads ?? [], keep(answer));
  await performSoon(ports, effects(decision.state));
  return answer;
};

/** The configuration that the session keeps: the agent's version as it is now, and what the request fixes. */
async function sessionConfig(
  ports: ApiPorts,
  request: ApiRequest<"post_sessions">,
): Promise<{ config: SessionConfig; agentConfig: AgentConfig }> {
  const { projectId, body } = request;
  checkSubject(body.subject_id);
  const agent = couldExist(body.agent.id) ? await ports.catalog.agent(projectId, body.agent.id) : null;
  if (agent === null) throw notFound("agent");
  const number = body.agent.version ?? agent.latestVersion;
  const version = await ports.catalog.version(projectId, agent.id, number);
  if (version === null) throw notFound("agent version");
  checkEnvironment(body.environment);
  checkConnections(body.connections);
  const agentConfig = AgentConfig.parse(await ports.configs.fetch(version.config));
  const config = {
    projectId,
    title: body.title ?? null,
    agent: { id: agent.id, version: number },
    agentConfig: version.config,
    model: agentConfig.model,
    environment: body.environment as Json as SessionConfig["environment"],
    connections: [],
    subjectId: body.subject_id,
  };
  return { config, agentConfig };
}

/** A session that is about to be: it has no calls yet. */
function showNew(ports: ApiPorts, config: SessionConfig, agentConfig: AgentConfig, state: SessionState) {
  const none = new Map<string, never>();
  const records = { sessionId: state.id, config, agentConfig, inputs: none, calls: none, messages: none };
  return presentSession(ports.blobs, records, state);
}

/** get_sessions_session_id */
export const getSession: Operation<"get_sessions_session_id"> = async (ports, { projectId, params }) => {
  return { status: 200, body: await show(ports, await ownSession(ports, projectId, params.session_id)) };
};

/** get_sessions */
export const listSessions: Operation<"get_sessions"> = async (ports, { projectId, query }) => {
  const scope = { operation: "get_sessions", filter: query.subject_id };
  const before = decodeCursor(scope, query.cursor, positions.id);
  const list = { subjectId: query.subject_id ?? null, before, limit: query.limit };
  const found = await ports.store.listSessions(projectId, list);
  const view = { place: (id: string) => id, present: (ids: readonly string[]) => showAll(ports, ids) };
  return { status: 200, body: await pageOf(scope, found, view) };
};

/** Sessions of a list, null in the place of one that was deleted since it was listed. */
async function showAll(ports: ApiPorts, ids: readonly string[]): Promise<(Session | null)[]> {
  const loaded = await ports.store.loadMany(ids);
  const states = new Map(loaded.map(({ state }) => [state.id, state]));
  return Promise.all(ids.map((id) => showUnlessGone(ports, states.get(id))));
}

async function showUnlessGone(ports: ApiPorts, state: SessionState | undefined): Promise<Session | null> {
  if (state === undefined) return null;
  try {
    return await unlessGone(ports.store, state.id, () => show(ports, state));
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") return null;
    throw error;
  }
}

/** The session's state, where it is one of the project. Throws `not_found`. */
export async function ownSession(ports: Pick<ApiPorts, "store">, projectId: string, sessionId: string) {
  const loaded = await ports.store.load(sessionId);
  if (loaded === null || loaded.state.projectId !== projectId) throw notFound("session");
  return loaded.state;
}

/** The session as the API shows it. */
export async function show(ports: ApiPorts, state: SessionState) {
  const records = await loadRecords(ports, state.id, { calls: pendingCalls(state).map(({ id }) => id) });
  if (records === null) throw notFound("session");
  return presentSession(ports.blobs, records, state);
}
