import { type Decision, draft, type Refusal, refuse, snapshot } from "../decision.ts";
import type { ActiveRun, SessionState } from "../state.ts";
import { cancelCalls } from "./calls.ts";
import { currentRun, isRefusal } from "./current.ts";
import { cancelQueued, startNext } from "./inputs.ts";
import { stopRun } from "./runs.ts";
import { wake } from "./wake.ts";

/** The session is as asked already. */
const unchanged = (state: SessionState, at: string): Decision => draft(state, at).finish();

export type RequestStop = {
  readonly runId: string;
  /** Whether the named run has ended: then there is nothing to stop. */
  readonly ended: boolean;
  readonly at: string;
};

/**
 * Stops the active run (post_sessions_session_id_stop): a working run becomes `stopping`, its calls are
 * cancelled and a pause is requested, in one transition; an interrupted one is stopped at once.
 */
export function requestStop(state: SessionState, command: RequestStop): Decision | Refusal {
  const run = state.run;
  if (command.ended) return unchanged(state, command.at);
  if (run === null || run.id !== command.runId) {
    return refuse(
      "run_not_active",
      "That run is not the session's active run. Read active_run_id and stop that one.",
    );
  }
  if (run.status === "stopping") return unchanged(state, command.at);
  if (run.status === "interrupted") return stopRun(state, run, command.at);
  const change = draft(state, command.at);
  cancelCalls(change, "The run was stopped before a result was accepted.");
  const stopping: ActiveRun = { ...run, calls: [], status: "stopping" };
  const session = snapshot({ ...change.state(), status: "pausing", run: stopping });
  change.emit({ type: "session.updated", session });
  wake(change);
  return change.finish();
}

/** Ends a run whose stop was accepted, once nothing more is done for it. */
export function settleStop(state: SessionState, runId: string, at: string): Decision | Refusal {
  const run = state.run;
  if (run === null || run.id !== runId || run.status !== "stopping") {
    return refuse("stale", `run ${runId} is not stopping`);
  }
  return stopRun(state, run, at);
}

/** Requests a pause (post_sessions_session_id_pause): at once when idle, otherwise at the run's next boundary. */
export function requestPause(state: SessionState, at: string): Decision | Refusal {
  if (state.status === "archived") return archivedAlready();
  if (state.status !== "active") return unchanged(state, at);
  const change = draft(state, at);
  const status = state.run === null ? "paused" : "pausing";
  change.emit({ type: "session.updated", session: snapshot({ ...state, status }) });
  wake(change);
  return change.finish();
}

/** Pauses a session whose run has reached a boundary: nothing of it is under way. */
export function settlePause(state: SessionState, runId: string, at: string): Decision | Refusal {
  const run = currentRun(state, runId);
  if (isRefusal(run)) return run;
  if (state.status !== "pausing") return unchanged(state, at);
  const change = draft(state, at);
  change.emit({ type: "session.updated", session: snapshot({ ...state, status: "paused" }) });
  return change.finish();
}

/**
 * Lets a paused session work again (post_sessions_session_id_resume): its run goes on, or else the oldest
 * queued input starts one.
 */
export function resume(state: SessionState, at: string): Decision | Refusal {
  const refusal = refuseResume(state);
  if (refusal !== null) return refusal;
  if (state.status === "active") return unchanged(state, at);
  const change = draft(state, at);
  if (state.run === null) startNext(change);
  change.emit({ type: "session.updated", session: snapshot({ ...change.state(), status: "active" }) });
  wake(change);
  return change.finish();
}

/** A stopping or interrupted run is named before the pause that goes with it. */
function refuseResume(state: SessionState): Refusal | null {
  if (state.status === "archived") return archivedAlready();
  if (state.run?.status === "stopping") {
    return refuse("run_stopping", "The run is stopping. Wait for run.stopped, then resume.");
  }
  if (state.run?.status === "interrupted") {
    return refuse("run_interrupted", "The run lost its execution and cannot go on. Stop it, then resume.");
  }
  if (state.status === "pausing") {
    return refuse("session_pausing", "The session is still pausing. Wait until it is paused, then resume.");
  }
  return null;
}

/** Makes an idle session read-only and cancels what is queued (post_sessions_session_id_archive). */
export function archive(state: SessionState, at: string): Decision | Refusal {
  if (state.status === "archived") return unchanged(state, at);
  if (state.run !== null) {
    return refuse("session_active", "The session has an active run. Wait until it ends, or stop it.");
  }
  const change = draft(state, at);
  for (const input of state.queue) cancelQueued(change, input.id, "session_archived");
  change.emit({ type: "session.archived", session: snapshot({ ...change.state(), status: "archived" }) });
  return change.finish();
}

const archivedAlready = (): Refusal =>
  refuse("session_archived", "The session is archived: it can be read and nothing more.");
