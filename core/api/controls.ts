import { parseSequencedId } from "../../contract/ids.ts";
import { timestamp } from "../ports/clock.ts";
import { performSoon } from "../run/perform.ts";
import { archive, requestPause, requestStop, resume } from "../session/decide/controls.ts";
import { type Decision, type Refusal, refuse } from "../session/decision.ts";
import { effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import type { SessionState } from "../session/state.ts";
import { committed } from "./committed.ts";
import { notFound } from "./error.ts";
import type { ApiPorts, ApiResponse, Operation } from "./operation.ts";
import { show } from "./sessions.ts";

/** post_sessions_session_id_stop */
export const stopRun: Operation<"post_sessions_session_id_stop"> = async (ports, request) => {
  const { projectId, params, body } = request;
  const { session_id: sessionId } = params;
  const { run_id: runId } = body;
  const state = await control(ports, projectId, sessionId, async (session, at) => {
    // An id that this session did not mint is a run of another one, or of none.
    if (parseSequencedId(runId, sessionId) === null) throw notFound("run");
    const ended = session.run?.id !== runId && (await ports.store.run(sessionId, runId)) !== null;
    return requestStop(session, { runId, ended, at });
  });
  return answer(ports, state, state.run?.id === runId && state.run.status === "stopping" ? 202 : 200);
};

/** post_sessions_session_id_pause */
export const pauseSession: Operation<"post_sessions_session_id_pause"> = async (ports, request) => {
  const state = await control(ports, request.projectId, request.params.session_id, requestPause);
  return answer(ports, state, state.status === "pausing" ? 202 : 200);
};

/** post_sessions_session_id_resume */
export const resumeSession: Operation<"post_sessions_session_id_resume"> = async (ports, request) => {
  return answer(ports, await control(ports, request.projectId, request.params.session_id, resume), 200);
};

/** post_sessions_session_id_archive */
export const archiveSession: Operation<"post_sessions_session_id_archive"> = async (ports, request) => {
  return answer(ports, await control(ports, request.projectId, request.params.session_id, archive), 200);
};

/** Decides on a session of the project and does what the new state asks for. */
async function control(
  ports: ApiPorts,
  projectId: string,
  sessionId: string,
  decide: (state: SessionState, at: string) => Decision | Refusal | Promise<Decision | Refusal>,
): Promise<SessionState> {
  const handled = await handle(ports, sessionId, ({ state }) =>
    state.projectId === projectId ? decide(state, timestamp(ports.clock)) : refuse("not_found", ""),
  );
  const { state } = committed(handled, "session");
  await performSoon(ports, effects(state));
  return state;
}

async function answer(ports: ApiPorts, state: SessionState, status: 200 | 202): Promise<ApiResponse> {
  return { status, body: await show(ports, state) };
}
