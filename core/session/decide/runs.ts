import { type Decision, type Draft, draft, type Refusal, refuse } from "../decision.ts";
import type { Repair } from "../events.ts";
import type { ActiveRun, RunError, SessionState, Usage } from "../state.ts";
import { counted } from "../usage.ts";
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

export type FailRun = {
  /** Where the run stood when the error came. */
  readonly place: string;
  readonly error: RunError;
  /** What spares later runs the same error; null when nothing does. */
  readonly repair: Repair | null;
  /** What requests used whose answers were of no use. */
  readonly usage: Usage;
  readonly at: string;
};

/** Fails the run that still stands where the error came, with everything that hangs on it. */
export function failRun(state: SessionState, command: FailRun): Decision | Refusal {
  const run = runAt(state, command.place);
  if (isRefusal(run)) return run;
  const change = draft(state, command.at);
  const { usage } = counted(command.usage);
  if (usage !== undefined) change.note({ type: "engine.spent", usage });
  if (command.repair !== null) change.note({ type: "engine.repaired", repair: command.repair });
  endFailed(change, command.error);
  return change.finish();
}

/** Fails the active run: its calls and unapplied inputs are cancelled, the queue stays and the session pauses. */
export function endFailed(change: Draft, error: RunError): void {
  cancelCalls(change, "The run failed before a result was accepted.");
  cancelBound(change, "run_failed");
  const run = activeRun(change);
  change.emit({ type: "run.failed", ...view(run), error });
  endRecord(change, run, "failed", error);
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
      ...(run.usage === undefined ? {} : { usage: run.usage }),
    },
  });
}
