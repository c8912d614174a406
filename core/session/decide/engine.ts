import { type Decision, type Draft, draft, type Refusal, refuse } from "../decision.ts";
import type { Repair } from "../events.ts";
import { messageId } from "../ids.ts";
import type { Payload } from "../payload.ts";
import { limits, type RunError, type SessionState, type TranscriptPointer, type Usage } from "../state.ts";
import { counted } from "../usage.ts";
import { currentRun, isRefusal, runAt } from "./current.ts";
import { completeRun, endFailed } from "./runs.ts";

/** Takes the run up and applies every input bound to it, in acceptance order. Nothing bound: nothing happens. */
export function applyInputs(state: SessionState, runId: string, at: string): Decision | Refusal {
  const run = currentRun(state, runId);
  if (isRefusal(run)) return run;
  if (state.status !== "active") return refuse("stale", "the session is paused: the model is not asked");
  const change = draft(state, at);
  if (!run.begun) change.note({ type: "engine.begun" });
  applyBound(change);
  return change.finish();
}

/** At the boundary before a model request, every bound input is applied, in acceptance order. A pause comes first. */
function applyBound(change: Draft): void {
  const { run, status } = change.state();
  if (run === null || run.turn.at !== "model" || status !== "active") return;
  for (const input of run.steering) {
    change.emit({ type: "input.applied", inputId: input.id, runId: run.id });
    change.change({ kind: "input", id: input.id, patch: { status: "applied", appliedAt: change.at } });
  }
}

export type RecordAnswer = {
  /** Where the run stood when the model was asked. */
  readonly place: string;
  /** Attempts at this answer before the one that succeeded. */
  readonly attempt: number;
  /** Public text blocks as message content; null when the answer has none. */
  readonly content: Payload | null;
  readonly lastDeltaIndex: number;
  /** A `StoredAnswer`. */
  readonly answer: Payload;
  readonly scripts: number;
  /** The answer reached a limit of its length. */
  readonly cut: boolean;
  readonly usage: Usage;
  /** Where the conversation is checkpointed, when this commit moves it. */
  readonly checkpoint: TranscriptPointer | null;
  readonly at: string;
};

/**
 * Saves an answer of the model. One without scripts ends the run, unless steering waits to be applied. One that was cut
 * is never the last: the model is asked to go on, and fails the run when it is cut again and again.
 */
export function recordAnswer(state: SessionState, command: RecordAnswer): Decision | Refusal {
  const run = runAt(state, command.place);
  if (isRefusal(run)) return run;
  if (run.turn.at !== "model") return refuse("stale", "the run asks no model");
  const change = draft(state, command.at);
  if (command.content !== null) {
    const id = messageId(state.id, run.id, run.answers, command.attempt);
    change.emit({
      type: "message.completed",
      messageId: id,
      runId: run.id,
      lastDeltaIndex: command.lastDeltaIndex,
    });
    change.change({ kind: "message", put: { id, content: command.content, createdAt: change.at } });
  }
  if (command.checkpoint !== null)
    change.note({ type: "engine.checkpointed", transcript: command.checkpoint });
  const { answer, scripts, cut } = command;
  const details = { ...(cut ? { cut } : {}), ...counted(command.usage) };
  change.note({ type: "engine.answered", answer, scripts, ...details });
  if ((change.state().run?.cuts ?? 0) >= limits.cutAnswers) endFailed(change, outputLimit);
  else if (scripts === 0 && !cut && run.steering.length === 0) completeRun(change);
  return change.finish();
}

const outputLimit: RunError = {
  code: "model_error",
  message: `The model reached its output limit in ${limits.cutAnswers} answers in a row. Ask for less at once, or lower the reasoning effort.`,
};

export type RecordCompaction = {
  /** Where the run stood when the conversation was found too long. */
  readonly place: string;
  /** The summary, a text; null when nothing is replaced. */
  readonly summary: Payload | null;
  readonly replaces: number;
  readonly longest: number | null;
  readonly usage: Usage;
  readonly at: string;
};

/** Saves a compaction of the conversation that the model sees. What clients see does not change. */
export function recordCompaction(state: SessionState, command: RecordCompaction): Decision | Refusal {
  const run = runAt(state, command.place);
  if (isRefusal(run)) return run;
  if (run.turn.at !== "model") return refuse("stale", "the run asks no model");
  const change = draft(state, command.at);
  const { summary, replaces, longest } = command;
  change.note({ type: "engine.compacted", summary, replaces, longest, ...counted(command.usage) });
  return change.finish();
}

/** Saves a repair of the conversation that the model sees. What clients see does not change. */
export function recordRepair(
  state: SessionState,
  place: string,
  repair: Repair,
  at: string,
): Decision | Refusal {
  const run = runAt(state, place);
  if (isRefusal(run)) return run;
  if (run.turn.at !== "model") return refuse("stale", "the run asks no model");
  const change = draft(state, at);
  change.note({ type: "engine.repaired", repair });
  return change.finish();
}

/** Counts a passing failure of the model, so that a retry and its time survive the wait for it. */
export function recordRetry(
  state: SessionState,
  place: string,
  retry: { readonly failures: number; readonly notBefore: string },
  at: string,
): Decision | Refusal {
  const run = runAt(state, place);
  if (isRefusal(run)) return run;
  // Failures that were waited for in the function are not in the state: the count may go up by more than one.
  if (run.turn.at !== "model" || run.turn.failures >= retry.failures)
    return refuse("stale", "this retry was counted");
  const change = draft(state, at);
  change.note({ type: "engine.retried", ...retry });
  return change.finish();
}

export type EndScript = {
  /** Where the run stood when the script began. */
  readonly place: string;
  readonly scriptId: string;
  readonly output: Payload;
  readonly failed: boolean;
  readonly memory: Payload | null;
  readonly at: string;
};

/** Saves what a script gave the model, and with the last script of an answer applies the inputs that wait. */
export function endScript(state: SessionState, command: EndScript): Decision | Refusal {
  const run = runAt(state, command.place);
  if (isRefusal(run)) return run;
  if (run.turn.at !== "script") return refuse("stale", "the run is in no script");
  const change = draft(state, command.at);
  const { scriptId, output, failed, memory } = command;
  change.note({ type: "engine.script_ended", scriptId, output, failed, memory });
  applyBound(change);
  return change.finish();
}

export type Park = {
  readonly runId: string;
  readonly leg: number;
  readonly token: string;
  /** The sequence that `Advance` had seen when it decided to wait. */
  readonly seen: number;
  readonly at: string;
};

/** Leaves a task token with the run. Refused as stale when something happened since: then there is no wait. */
export function park(state: SessionState, command: Park): Decision | Refusal {
  const run = currentRun(state, command.runId);
  if (isRefusal(run)) return run;
  if (run.leg !== command.leg) return refuse("stale", `run ${command.runId} went on in another execution`);
  if (state.sequence !== command.seen)
    return refuse("stale", "something happened since the run decided to wait");
  // What had been read of the log may hold a pause that the engine has yet to settle.
  if (state.status === "pausing") return refuse("stale", "a pause is settled before the run waits");
  const change = draft(state, command.at);
  change.note({ type: "engine.parked", token: command.token });
  return change.finish();
}

/** Hands the run to its next execution. */
export function continueRun(state: SessionState, runId: string, leg: number, at: string): Decision | Refusal {
  const run = currentRun(state, runId);
  if (isRefusal(run)) return run;
  if (run.leg !== leg - 1) return refuse("stale", `run ${runId} went on already`);
  const change = draft(state, at);
  change.note({ type: "engine.continued", leg });
  return change.finish();
}
