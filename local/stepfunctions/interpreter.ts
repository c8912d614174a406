import type { ChoiceState, State, WaitState } from "./definition.ts";
import type { Draft } from "./draft.ts";
import { endExecution, enter, evaluateField, evaluationFailure, stateError } from "./draft.ts";
import { HistoryFull, messageOf, StateFailure } from "./errors.ts";
import { leave } from "./leave.ts";
import { maximumSeconds } from "./limits.ts";
import { heartbeatDeadline, type Position, type Visit } from "./records.ts";
import { enterTask, retryTask, timeOutTask } from "./task.ts";

/** Events after which a draft is committed although states are left to run, so that no loop holds the process. */
const eventsPerDraft = 500;

/**
 * Applies a step to a draft, then runs states until one waits for the outside, the execution ends or
 * the draft has grown long enough. Whatever is thrown ends the execution as FAILED.
 */
export async function advance(draft: Draft, step: (draft: Draft) => Promise<void> | void): Promise<void> {
  try {
    await step(draft);
    while (draft.head.position?.at === "state" && draft.events.length < eventsPerDraft) {
      await runState(draft, draft.head.position.state, draft.head.position.input);
    }
  } catch (thrown) {
    endExecution(draft, "FAILED", endOf(thrown));
  }
}

/** Does what is due: the execution's or a task's timeout, the end of a Wait, a retry. */
export async function expire(draft: Draft): Promise<void> {
  const { position, timeoutAt } = draft.head;
  if (timeoutAt !== undefined && timeoutAt <= draft.now) return endExecution(draft, "TIMED_OUT");
  if (position?.at === "task") {
    const deadlines = [position.timeoutAt, heartbeatDeadline(position)];
    const [timedOut = false, silent = false] = deadlines.map((at) => at !== undefined && at <= draft.now);
    if (timedOut || silent) await timeOutTask(draft, position, !timedOut);
  }
  if (position?.at === "retry" && position.until <= draft.now) await retryTask(draft, position);
  if (position?.at === "wait" && position.until <= draft.now) await endWait(draft, position);
}

async function runState(draft: Draft, name: string, input: string): Promise<void> {
  const state = draft.definition.states.get(name);
  if (!state) throw new StateFailure("States.Runtime", `The definition has no state '${name}'.`);
  const visit = enter(draft, name, state, input);
  switch (state.Type) {
    case "Task":
      return enterTask(draft, visit, state);
    case "Choice":
      return choose(draft, visit, state);
    case "Wait":
      return wait(draft, visit, state);
    case "Pass":
      return leave(draft, visit, state.Type, state, {}, input);
    case "Succeed":
      return leave(draft, visit, state.Type, { Output: state.Output, End: true }, {}, input);
    case "Fail":
      return fail(draft, visit, state);
  }
}

async function choose(draft: Draft, visit: Visit, state: ChoiceState): Promise<void> {
  for (const [index, rule] of state.Choices.entries()) {
    const location = `Choices[${index}]/Condition`;
    const verdict = await evaluateField(draft, visit, location, rule.Condition, {});
    if (typeof verdict !== "boolean") {
      const problem = `The JSONata expression specified for the field '${location}' must return a boolean.`;
      throw evaluationFailure(draft, visit, location, problem);
    }
    if (verdict) return leave(draft, visit, state.Type, rule, {}, visit.input, `Choices[${index}]/`);
  }
  if (state.Default === undefined) {
    const cause = `${stateError(visit)} Failed to transition out of the state: no choice matched and there is no Default.`;
    throw new StateFailure("States.NoChoiceMatched", cause);
  }
  const exit = { Output: state.Output, Assign: state.Assign, Next: state.Default };
  return leave(draft, visit, state.Type, exit, {}, visit.input);
}

async function wait(draft: Draft, visit: Visit, state: WaitState): Promise<void> {
  const seconds = await evaluateField(draft, visit, "Seconds", state.Seconds, {});
  if (typeof seconds !== "number" || !Number.isInteger(seconds) || seconds < 0 || seconds > maximumSeconds) {
    const problem = `The value of the field 'Seconds' must be an integer from 0 to ${maximumSeconds}.`;
    throw evaluationFailure(draft, visit, "Seconds", problem);
  }
  const position = { at: "wait", ...visit, until: draft.now + seconds * 1000 } as const;
  draft.head = { ...draft.head, position };
}

async function endWait(draft: Draft, position: Extract<Position, { at: "wait" }>): Promise<void> {
  const state = draft.definition.states.get(position.state);
  if (state?.Type === "Wait") await leave(draft, position, state.Type, state, {}, position.input);
}

async function fail(draft: Draft, visit: Visit, state: Extract<State, { Type: "Fail" }>): Promise<void> {
  const end: { error?: string; cause?: string } = {};
  for (const field of ["Error", "Cause"] as const) {
    if (state[field] === undefined) continue;
    const value = await evaluateField(draft, visit, field, state[field], {});
    if (typeof value !== "string") {
      throw evaluationFailure(draft, visit, field, `The value of the field '${field}' must be a string.`);
    }
    end[field === "Error" ? "error" : "cause"] = value;
  }
  endExecution(draft, "FAILED", end);
}

function endOf(thrown: unknown): { readonly error: string; readonly cause?: string | undefined } {
  if (thrown instanceof StateFailure) return { error: thrown.error, cause: thrown.failureCause };
  if (thrown instanceof HistoryFull) return { error: "States.Runtime", cause: thrown.message };
  return { error: "States.Runtime", cause: messageOf(thrown) };
}
