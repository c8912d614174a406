import { parseSequencedId } from "../../contract/ids.ts";
import type { OperationId } from "../../contract/routes.ts";
import type { Run } from "../../contract/schemas/runs.ts";
import { presentActiveRun, presentEndedRun, presentMessages } from "../present/run.ts";
import type { RunRecord } from "../session/records.ts";
import type { ActiveRun } from "../session/state.ts";
import { decodeCursor, positions } from "./cursor.ts";
import { notFound } from "./error.ts";
import type { ApiPorts, ApiRequest, Operation } from "./operation.ts";
import { pageOf } from "./page.ts";
import { ownSession } from "./sessions.ts";

/** get_sessions_session_id_runs_run_id */
export const getRun: Operation<"get_sessions_session_id_runs_run_id"> = async (
  ports,
  { projectId, params },
) => {
  const state = await ownSession(ports, projectId, params.session_id);
  const run = state.run?.id === params.run_id ? state.run : await ports.store.run(state.id, params.run_id);
  if (run === null) throw notFound("run");
  return { status: 200, body: await present(ports, state.id, run) };
};

/** get_sessions_session_id_runs */
export const listRuns: Operation<"get_sessions_session_id_runs"> = async (ports, request) => {
  const { scope, found, place } = await runsOf(ports, "get_sessions_session_id_runs", request);
  const view = {
    place,
    present: (batch: readonly (RunRecord | ActiveRun)[]) =>
      Promise.all(batch.map((run) => present(ports, scope.of, run))),
  };
  return { status: 200, body: await pageOf(scope, found, view) };
};

/** A page of a session's runs: the ended ones by age, and the active one, which is the newest. */
export async function runsOf(
  ports: ApiPorts,
  operation: OperationId,
  {
    projectId,
    params,
    query,
  }: Pick<ApiRequest<"get_sessions_session_id_runs">, "projectId" | "params" | "query">,
) {
  const state = await ownSession(ports, projectId, params.session_id);
  const scope = { operation, of: state.id };
  const after = Number(decodeCursor(scope, query.cursor, positions.sequence) ?? 0);
  const { items, more } = await ports.store.listRuns(state.id, after, query.limit);
  const active = more ? null : state.run;
  const sequenceOf = ({ id }: { readonly id: string }): number => parseSequencedId(id, state.id) ?? 0;
  // The active run may have ended since the session was read, and a cursor may lie behind it.
  const isNew = active !== null && sequenceOf(active) > after && !items.some(({ id }) => id === active.id);
  const runs: readonly (RunRecord | ActiveRun)[] = isNew ? [...items, active] : items;
  const found = { items: runs.slice(0, query.limit), more: more || runs.length > query.limit };
  return { scope, found, place: (run: { readonly id: string }) => String(sequenceOf(run)) };
}

async function present(ports: ApiPorts, sessionId: string, run: RunRecord | ActiveRun): Promise<Run> {
  const messages = await presentMessages(ports.blobs, await ports.store.runMessages(sessionId, run.id));
  return "endedAt" in run
    ? presentEndedRun(sessionId, run, messages)
    : presentActiveRun(sessionId, run, messages);
}
