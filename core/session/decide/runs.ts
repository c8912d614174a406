import { type Decision, type Draft, draft, type Refusal, refuse } from "../decision.ts";
import type { ActiveRun, RunError, SessionState } from "../state.ts";
import { cancelCalls } from "./calls.ts";
import { isRefusal, runAt } from "./current.ts";
import { cancelBound, startNext } from "./inputs.ts";

/** Ends the active run normally and starts the oldest queued input, where the session allows it. */
export function completeRun(change: Draft): void {
  const run = activeRun(change);
  cancelCalls(change, "The run completed before a result was accepted.");
  change.emit({ type: "run.completed", ...view(run), outputFileIds: [] });
  endRecord(change, run, "completed", null);
  if (change.state().status === "active") startNext(change);
}

/** Fails the active run: its calls and unapplied inputs are cancelled, the queue stays and the session pauses. */
export function failRun(state: SessionState, place: string, error: RunError, at: string): Decision | Refusal {
  const run = runAt(state, place);
  if (isRefusal(run)) return run;
  const change = draft(state, at);
  cancelCalls(change, "The run failed before a result was accepted.");
  cancelBound(change, "run_failed");
  change.emit({ type: "run.failed", ...view(run), error });
  endRecord(change, run, "failed", error);
  return change.finish();
}

/**
 * Records that the execution of a run is gone: interrupts it once, or finalizes a stop that was accepted
 * (get_sessions_session_id_runs_run_id, "Execution loss"). `leg` names the execution, so that the end of
 * an earlier one does not interrupt a run that went on.
 */
export function loseExecution(
  state: SessionState,
  runId: string,
  leg: number,
  at: string,
): Decision | Refusal {
  const run = state.run;
  if (run === null || run.id !== runId || run.leg !== leg)
    return refuse("stale", `run ${runId} is not active`);
  if (run.status === "interrupted") return refuse("stale", `run ${runId} is already interrupted`);
  if (run.status === "stopping") return stopRun(state, run, at);
  const change = draft(state, at);
  change.emit({
    type: "run.interrupted",
    ...view(run),
    error: { code: "harness_lost", message: "The run's execution was lost. It does not resume by itself." },
  });
  return change.finish();
}

/** Ends a run as stopped: its calls and unapplied inputs are cancelled, the queue stays and the session pauses. */
export function stopRun(state: SessionState, run: ActiveRun, at: string): Decision {
  const change = draft(state, at);
  cancelCalls(change, "The run stopped before a result was accepted.");
  cancelBound(change, "run_stopped");
  change.emit({ type: "run.stopped", ...view(run) });
  endRecord(change, run, "stopped", null);
  return change.finish();
}

function activeRun(change: Draft): ActiveRun {
  const run = change.state().run;
  if (run === null) throw new Error("there is no active run to end");
  return run;
}

function view(run: ActiveRun) {
  return {
    runId: run.id,
    initialInputId: run.initialInputId,
    appliedInputIds: run.appliedInputIds,
    startedAt: run.startedAt,
    answers: run.answers,
  };
}

function endRecord(
  change: Draft,
  run: ActiveRun,
  status: "completed" | "failed" | "stopped",
  error: RunError | null,
): void {
  const { id, initialInputId, appliedInputIds, startedAt } = run;
  change.change({
    kind: "run",
    put: {
      id,
      status,
      initialInputId,
      appliedInputIds,
      outputFileIds: [],
      error,
      startedAt,
      endedAt: change.at,
    },
  });
}
