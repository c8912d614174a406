import { parseSequencedId } from "../../contract/ids.ts";
import { archive, requestPause, requestStop, resume } from "../session/decide/controls.ts";
import type { SessionState } from "../session/state.ts";
import { changeSession } from "./change-session.ts";
import { notFound } from "./error.ts";
import type { ApiPorts, ApiResponse, Operation } from "./operation.ts";
import { show } from "./sessions.ts";

/** post_sessions_session_id_stop */
export const stopRun: Operation<"post_sessions_session_id_stop"> = async (ports, request) => {
  const { projectId, params, body } = request;
  const { session_id: sessionId } = params;
  const { run_id: runId } = body;
  const { state } = await changeSession(ports, { projectId, sessionId }, async (session, at) => {
    // An id that this session did not mint is a run of another one, or of none.
    if (parseSequencedId(runId, sessionId) === null) throw notFound("run");
    const ended = session.run?.id !== runId && (await ports.store.run(sessionId, runId)) !== null;
    return requestStop(session, { runId, ended, at });
  });
  return answer(ports, state, state.run?.id === runId && state.run.status === "stopping" ? 202 : 200);
};

/** post_sessions_session_id_pause */
export const pauseSession: Operation<"post_sessions_session_id_pause"> = async (ports, request) => {
  const { state } = await changeSession(ports, sessionOf(request), requestPause);
  return answer(ports, state, state.status === "pausing" ? 202 : 200);
};

/** post_sessions_session_id_resume */
export const resumeSession: Operation<"post_sessions_session_id_resume"> = async (ports, request) => {
  const { state } = await changeSession(ports, sessionOf(request), resume);
  return answer(ports, state, 200);
};

/** post_sessions_session_id_archive */
export const archiveSession: Operation<"post_sessions_session_id_archive"> = async (ports, request) => {
  const { state } = await changeSession(ports, sessionOf(request), archive);
  return answer(ports, state, 200);
};

const sessionOf = ({ projectId, params }: { projectId: string; params: { session_id: string } }) => ({
  projectId,
  sessionId: params.session_id,
});

async function answer(ports: ApiPorts, state: SessionState, status: 200 | 202): Promise<ApiResponse> {
  return { status, body: await show(ports, state) };
}
