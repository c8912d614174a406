import { parseSequencedId } from "../../contract/ids.ts";
import type { Json } from "../../contract/json.ts";
import { presentInput } from "../present/input.ts";
import { cancelInput as decideCancel, sendInput as decideInput } from "../session/decide/inputs.ts";
import type { Decision } from "../session/decision.ts";
import type { InputRecord } from "../session/records.ts";
import type { SessionState } from "../session/state.ts";
import { changeSession } from "./change-session.ts";
import { decodeCursor, positions } from "./cursor.ts";
import { notFound } from "./error.ts";
import { keeping } from "./idempotency.ts";
import { checkInput } from "./input-checks.ts";
import type { ApiPorts, Operation } from "./operation.ts";
import { pageOf } from "./page.ts";
import { ownSession } from "./sessions.ts";

/** post_sessions_session_id_inputs */
export const sendInput: Operation<"post_sessions_session_id_inputs"> = async (ports, request, keep) => {
  const { projectId, params, body } = request;
  const sessionId = params.session_id;
  const config = await ports.store.config(sessionId);
  if (config === null || config.projectId !== projectId) throw notFound("session");
  const { environment } = config;
  const sandboxed = typeof environment === "object" && environment !== null && "network" in environment;
  const target = { sessionId, model: config.model, environment: sandboxed ? "sandbox" : "none" } as const;
  const { input, uploads } = checkInput(ports.blobs, target, body);
  // The content is at hand: it need not be read back, and could not be before the commit.
  const content = { fetch: async () => body.content as Json };
  const answer = async ({ changes }: Decision) => {
    const accepted = changes.flatMap((change) =>
      change.kind === "input" && "put" in change ? [change.put] : [],
    )[0];
    if (accepted === undefined) throw new Error("an accepted input has a record");
    return { status: 202, body: await presentInput(content, sessionId, accepted) };
  };
  const store = keeping(ports.store, keep, answer);
  const decide = (state: SessionState, at: string) => decideInput(state, input, at);
  return answer(await changeSession({ ...ports, store }, { projectId, sessionId }, decide, uploads));
};

/** get_sessions_session_id_inputs_input_id */
export const getInput: Operation<"get_sessions_session_id_inputs_input_id"> = async (
  ports,
  { projectId, params },
) => {
  const { session_id: sessionId, input_id: inputId } = params;
  await ownSession(ports, projectId, sessionId);
  const record = (await ports.store.inputs(sessionId, [inputId])).get(inputId);
  if (record === undefined) throw notFound("input");
  return { status: 200, body: await presentInput(ports.blobs, sessionId, record) };
};

/** delete_sessions_session_id_inputs_input_id */
export const cancelInput: Operation<"delete_sessions_session_id_inputs_input_id"> = async (
  ports,
  { projectId, params },
) => {
  const { session_id: sessionId, input_id: inputId } = params;
  await changeSession(ports, { projectId, sessionId }, async (state, at) => {
    const record = (await ports.store.inputs(sessionId, [inputId])).get(inputId) ?? null;
    return decideCancel(state, { inputId, record, at });
  });
  return { status: 204 };
};

/** get_sessions_session_id_inputs */
export const listInputs: Operation<"get_sessions_session_id_inputs"> = async (ports, request) => {
  const { projectId, params, query } = request;
  const sessionId = params.session_id;
  await ownSession(ports, projectId, sessionId);
  const scope = { operation: "get_sessions_session_id_inputs", of: sessionId, filter: query.status };
  const after = Number(decodeCursor(scope, query.cursor, positions.sequence) ?? 0);
  const wanted = await withStatus(ports, sessionId, query.status, after, query.limit + 1);
  const found = { items: wanted.slice(0, query.limit), more: wanted.length > query.limit };
  const view = {
    place: ({ id }: InputRecord) => String(parseSequencedId(id, sessionId)),
    present: (items: readonly InputRecord[]) =>
      Promise.all(items.map((record) => presentInput(ports.blobs, sessionId, record))),
  };
  return { status: 200, body: await pageOf(scope, found, view) };
};

const SCAN_PAGE = 100;

/** The next inputs with a status: reads on past those that have another. */
async function withStatus(
  ports: ApiPorts,
  sessionId: string,
  status: InputRecord["status"] | undefined,
  after: number,
  limit: number,
): Promise<InputRecord[]> {
  const found: InputRecord[] = [];
  for (let from = after, more = true; more && found.length < limit; ) {
    const batch = await ports.store.listInputs(sessionId, from, SCAN_PAGE);
    found.push(...batch.items.filter((record) => status === undefined || record.status === status));
    const last = batch.items.at(-1);
    from = (last && parseSequencedId(last.id, sessionId)) ?? from;
    more = batch.more;
  }
  return found.slice(0, limit);
}
