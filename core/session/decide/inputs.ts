import { type Decision, type Draft, draft, type Refusal, refuse } from "../decision.ts";
import type { PublicSessionEvent } from "../events.ts";
import type { Payload } from "../payload.ts";
import type { InputRecord } from "../records.ts";
import type { HeldInput } from "../state.ts";
import { limits, type SessionState } from "../state.ts";

export type NewInput = {
  readonly mode: HeldInput["mode"];
  readonly effort: HeldInput["effort"];
  readonly content: Payload;
};

/** Accepts an input by mode and state: the table of post_sessions_session_id_inputs. */
export function sendInput(state: SessionState, input: NewInput, at: string): Decision | Refusal {
  const refusal = refuseInput(state, input);
  if (refusal !== null) return refusal;
  const change = draft(state, at);
  acceptInput(change, input);
  return change.finish();
}

function refuseInput(state: SessionState, input: NewInput): Refusal | null {
  if (state.status === "archived") {
    return refuse(
      "session_archived",
      "The session is archived and takes no more input. Create a new session.",
    );
  }
  if (input.mode === "steer") return refuseSteering(state);
  if (state.queue.length < limits.queuedInputs) return null;
  return refuse(
    "rate_limited",
    `The session already has ${limits.queuedInputs} queued inputs. Wait for one to start a run or cancel one.`,
  );
}

/** An interrupted or stopping run is named before the pause that goes with it. */
function refuseSteering(state: SessionState): Refusal | null {
  const run = state.run;
  if (run?.status === "interrupted") {
    return refuse(
      "run_interrupted",
      "The run lost its execution. Stop it and resume the session before steering.",
    );
  }
  if (run?.status === "stopping") {
    return refuse("run_stopping", "The run is stopping and takes no steering. Queue the input instead.");
  }
  if (state.status !== "active") {
    return refuse("session_paused", "The session is paused. Resume it before steering, or queue the input.");
  }
  if (run === null) return null;
  if (run.steering.length < limits.boundInputs && run.appliedInputIds.length < limits.appliedInputs)
    return null;
  return refuse(
    "rate_limited",
    "The run has as many inputs as it can take. Wait until some are applied, or queue.",
  );
}

/** Adds an input that the state allows: bound to the active run, starting one, or queued. */
export function acceptInput(change: Draft, input: NewInput): void {
  const state = change.state();
  const idle = state.status === "active" && state.run === null;
  const steers = input.mode === "steer" && state.run !== null;
  const inputId = change.mint("inp");
  const runId = idle ? change.mint("run", 1) : steers ? (state.run?.id ?? null) : null;
  change.emit({ type: "input.accepted", inputId, mode: input.mode, effort: input.effort, runId });
  change.change({
    kind: "input",
    put: {
      id: inputId,
      mode: input.mode,
      effort: input.effort,
      content: input.content,
      createdAt: change.at,
      status: "accepted",
      runId,
      appliedAt: null,
      cancelledAt: null,
      cancellationReason: null,
    },
  });
  if (idle) change.emit({ type: "run.started", runId: change.mint("run"), inputId });
}

/** Starts the oldest queued input, if there is one, in a run of its own. */
export function startNext(change: Draft): void {
  const next = change.state().queue[0];
  if (next === undefined) return;
  const runId = change.mint("run");
  change.emit({ type: "run.started", runId, inputId: next.id });
  change.change({ kind: "input", id: next.id, patch: { runId } });
}

export type CancelInput = {
  readonly inputId: string;
  /** The input's record; null when the session has none by that id. */
  readonly record: InputRecord | null;
  readonly at: string;
};

/** Cancels an input that waits in the queue (delete_sessions_session_id_inputs_input_id). */
export function cancelInput(state: SessionState, command: CancelInput): Decision | Refusal {
  const { inputId, record } = command;
  if (record === null) return refuse("not_found", "There is no input by that id in this project.");
  const change = draft(state, command.at);
  if (state.queue.some((input) => input.id === inputId)) cancelQueued(change, inputId, "customer_cancelled");
  else if (record.status !== "cancelled" || record.runId !== null) {
    return refuse("input_not_queued", "The input belongs to a run already. Stop the run instead.");
  }
  return change.finish();
}

/** Cancels inputs that were bound to a run and not applied. */
export function cancelBound(change: Draft, reason: "run_failed" | "run_stopped"): void {
  const run = change.state().run;
  for (const input of run?.steering ?? []) cancel(change, input.id, run?.id ?? null, reason);
}

/** Cancels an input that waits for a run. */
export function cancelQueued(
  change: Draft,
  inputId: string,
  reason: "customer_cancelled" | "session_archived",
): void {
  cancel(change, inputId, null, reason);
}

function cancel(
  change: Draft,
  inputId: string,
  runId: string | null,
  reason: Extract<PublicSessionEvent, { type: "input.cancelled" }>["reason"],
): void {
  change.emit({ type: "input.cancelled", inputId, runId, reason });
  const patch = { status: "cancelled", cancelledAt: change.at, cancellationReason: reason } as const;
  change.change({ kind: "input", id: inputId, patch });
}
