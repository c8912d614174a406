import { parseSequencedId } from "../../contract/ids.ts";
import type { Run } from "../../contract/schemas/runs.ts";
import { presentActiveRun, presentEndedRun, presentMessages } from "../present/run.ts";
import type { SessionState } from "../session/state.ts";
import { decodeCursor, page, positions } from "./cursor.ts";
import { notFound } from "./error.ts";
import type { ApiPorts, Operation } from "./operation.ts";
import { ownSession } from "./sessions.ts";

/** get_sessions_session_id_runs_run_id */
export const getRun: Operation<"get_sessions_session_id_runs_run_id"> = async (
  ports,
  { projectId, params },
) => {
  const state = await ownSession(ports, projectId, params.session_id);
  const active = await activeRun(ports, state);
  if (active?.id === params.run_id) return { status: 200, body: active };
  const record = await ports.store.run(state.id, params.run_id);
  if (record === null) throw notFound("run");
  return { status: 200, body: presentEndedRun(state.id, record, await messages(ports, state.id, record.id)) };
};

/** get_sessions_session_id_runs: the ended runs by age, and the active one, which is the newest. */
export const listRuns: Operation<"get_sessions_session_id_runs"> = async (
  ports,
  { projectId, params, query },
) => {
  const state = await ownSession(ports, projectId, params.session_id);
  const scope = { operation: "get_sessions_session_id_runs", of: state.id };
  const after = Number(decodeCursor(scope, query.cursor, positions.sequence) ?? 0);
  const { items, more } = await ports.store.listRuns(state.id, after, query.limit);
  const ended = await Promise.all(
    items.map(async (run) => presentEndedRun(state.id, run, await messages(ports, state.id, run.id))),
  );
  const active = more ? null : await activeRun(ports, state);
  // The active run may have ended since the session was read, and a cursor may lie behind it.
  const isNew = active !== null && sequenceOf(active) > after && !ended.some((run) => run.id === active.id);
  const fits = ended.length < query.limit;
  const runs: Run[] = isNew && fits ? [...ended, active] : ended;
  const last = runs.at(-1);
  const goesOn = more || (isNew && !fits);
  return {
    status: 200,
    body: page(scope, runs, goesOn && last !== undefined ? String(sequenceOf(last)) : null),
  };
};

const sequenceOf = (run: Run): number => parseSequencedId(run.id, run.session_id) ?? 0;

async function activeRun(ports: ApiPorts, { id, run }: SessionState): Promise<Run | null> {
  return run === null ? null : presentActiveRun(id, run, await messages(ports, id, run.id));
}

async function messages(ports: ApiPorts, sessionId: string, runId: string) {
  return presentMessages(ports.blobs, await ports.store.runMessages(sessionId, runId));
}
