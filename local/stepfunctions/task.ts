import { randomUUID } from "node:crypto";
import { type TaskState, waitsForToken } from "./definition.ts";
import type { Draft } from "./draft.ts";
import { countTransition, evaluateField, evaluationFailure, limitData, recordEvent } from "./draft.ts";
import { StateFailure } from "./errors.ts";
import { leave } from "./leave.ts";
import { maximumSeconds } from "./limits.ts";
import type { Position, TaskPosition, Visit } from "./records.ts";
import { nextCatch, nextRetry } from "./retries.ts";
import { createToken } from "./tokens.ts";

/** What a function call gave. An empty `errorType` stands for a function that died without one. */
export type InvokeResult =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly errorType: string; readonly errorMessage: string };

/** Starts a task that was just entered; the draft then asks for the function call. */
export async function enterTask(draft: Draft, visit: Visit, state: TaskState): Promise<void> {
  await attempt(draft, visit, state, () => schedule(draft, visit, state));
}

/** Starts a task once more, with a new token, after its retry's wait. */
export async function retryTask(draft: Draft, position: Extract<Position, { at: "retry" }>): Promise<void> {
  const state = taskOf(draft, position);
  countTransition(draft);
  await attempt(draft, position, state, () => schedule(draft, position, state));
}

/** Takes what the function returned. A task with a token goes on waiting for it. */
export async function returnTask(draft: Draft, position: TaskPosition, result: InvokeResult): Promise<void> {
  const state = taskOf(draft, position);
  await attempt(draft, position, state, async () => {
    if (!result.ok) throw taskFailed(draft, state, invocationFailure(result));
    const output = JSON.stringify({
      ExecutedVersion: "$LATEST",
      Payload: result.payload ?? null,
      StatusCode: 200,
    });
    limitResult(draft, state, output);
    if (!waitsForToken(state)) return succeed(draft, position, state, output);
    recordEvent(draft, "TaskSubmitted", { ...resourceOf(state), output });
    draft.head = { ...draft.head, position: { ...position, returned: true } };
  });
}

/** Ends a task with the JSON text that its token's holder sent. */
export async function succeedTask(draft: Draft, position: TaskPosition, output: string): Promise<void> {
  const state = taskOf(draft, position);
  await attempt(draft, position, state, () => succeed(draft, position, state, output));
}

/** Fails a task as its token's holder asked. */
export async function failTask(
  draft: Draft,
  position: TaskPosition,
  error: string,
  cause: string,
): Promise<void> {
  const state = taskOf(draft, position);
  await attempt(draft, position, state, () => {
    throw taskFailed(draft, state, new StateFailure(error, cause));
  });
}

/** Fails a task whose time is over, or (`silent`) whose heartbeat did not come. */
export async function timeOutTask(draft: Draft, position: TaskPosition, silent: boolean): Promise<void> {
  const state = taskOf(draft, position);
  await attempt(draft, position, state, () => {
    recordEvent(draft, "TaskTimedOut", { ...resourceOf(state), error: "States.Timeout" });
    throw new StateFailure("States.Timeout", undefined, silent ? ["States.HeartbeatTimeout"] : []);
  });
}

/** Runs a part of a task; its failure takes the task's Retry or Catch, or ends the execution. */
async function attempt(
  draft: Draft,
  visit: Visit,
  state: TaskState,
  part: () => Promise<void> | void,
): Promise<void> {
  try {
    await part();
  } catch (thrown) {
    if (!(thrown instanceof StateFailure)) throw thrown;
    await recover(draft, visit, state, thrown);
  }
}

async function recover(draft: Draft, visit: Visit, state: TaskState, failure: StateFailure): Promise<void> {
  const retry = nextRetry(state.Retry, visit.retries, failure);
  if (retry) {
    const retries = visit.retries.map((made, index) => (index === retry.index ? made + 1 : made));
    const { input, enteredAt, enteredEvent } = visit;
    const until = draft.now + retry.delay;
    const position = {
      at: "retry",
      state: visit.state,
      input,
      enteredAt,
      enteredEvent,
      retries,
      until,
    } as const;
    draft.head = { ...draft.head, position };
    return;
  }
  const caught = nextCatch(state.Catch, failure);
  if (!caught) throw failure;
  const errorOutput = { Error: failure.error, Cause: failure.failureCause ?? "" };
  const prefix = `Catch[${caught.index}]/`;
  await leave(draft, visit, "Task", caught.catcher, { errorOutput }, JSON.stringify(errorOutput), prefix);
}

async function schedule(draft: Draft, visit: Visit, state: TaskState): Promise<void> {
  const token = waitsForToken(state) ? createToken(draft.head.name) : undefined;
  const sight = token === undefined ? {} : { token };
  const functionName = await evaluateField(
    draft,
    visit,
    "Arguments/FunctionName",
    state.Arguments.FunctionName,
    sight,
  );
  if (typeof functionName !== "string") {
    const problem = "The value of the field 'Arguments/FunctionName' must be a string.";
    throw evaluationFailure(draft, visit, "Arguments/FunctionName", problem);
  }
  const payload = await evaluateField(
    draft,
    visit,
    "Arguments/Payload",
    state.Arguments.Payload ?? {},
    sight,
  );
  const parameters = limitData(JSON.stringify({ FunctionName: functionName, Payload: payload }), visit.state);
  const timeoutSeconds = await secondsOf(draft, visit, "TimeoutSeconds", state.TimeoutSeconds);
  const heartbeatSeconds = await secondsOf(draft, visit, "HeartbeatSeconds", state.HeartbeatSeconds);
  recordEvent(draft, "TaskScheduled", {
    ...resourceOf(state),
    region: draft.machine.region,
    parameters,
    timeoutInSeconds: timeoutSeconds,
    heartbeatInSeconds: heartbeatSeconds,
  });
  recordEvent(draft, "TaskStarted", resourceOf(state));
  const { input, enteredAt, enteredEvent, retries } = visit;
  const invocation = randomUUID();
  draft.invocation = { id: invocation, functionName, payload };
  draft.head = {
    ...draft.head,
    position: {
      at: "task",
      state: visit.state,
      input,
      enteredAt,
      enteredEvent,
      retries,
      invocation,
      returned: false,
      token,
      timeoutAt: timeoutSeconds === undefined ? undefined : draft.now + timeoutSeconds * 1000,
      heartbeatSeconds,
      heartbeatAt: draft.now,
    },
  };
}

async function succeed(
  draft: Draft,
  position: TaskPosition,
  state: TaskState,
  output: string,
): Promise<void> {
  recordEvent(draft, "TaskSucceeded", { ...resourceOf(state), output });
  await leave(draft, position, "Task", state, { result: JSON.parse(output) }, output);
}

async function secondsOf(
  draft: Draft,
  visit: Visit,
  field: string,
  template: number | string | undefined,
): Promise<number | undefined> {
  if (template === undefined) return undefined;
  const seconds = await evaluateField(draft, visit, field, template, {});
  if (typeof seconds === "number" && Number.isInteger(seconds) && seconds > 0 && seconds <= maximumSeconds)
    return seconds;
  const problem = `The value of the field '${field}' must be an integer from 1 to ${maximumSeconds}.`;
  throw evaluationFailure(draft, visit, field, problem);
}

function taskOf(draft: Draft, visit: Visit): TaskState {
  const state = draft.definition.states.get(visit.state);
  if (state?.Type === "Task") return state;
  throw new StateFailure("States.Runtime", `The definition has no Task '${visit.state}'.`);
}

function limitResult(draft: Draft, state: TaskState, output: string): void {
  try {
    limitData(output, "lambda");
  } catch (thrown) {
    throw thrown instanceof StateFailure ? taskFailed(draft, state, thrown) : thrown;
  }
}

function taskFailed(draft: Draft, state: TaskState, failure: StateFailure): StateFailure {
  recordEvent(draft, "TaskFailed", {
    ...resourceOf(state),
    error: failure.error,
    cause: failure.failureCause,
  });
  return failure;
}

function invocationFailure(result: Extract<InvokeResult, { ok: false }>): StateFailure {
  const { errorType, errorMessage } = result;
  // Errors of the Lambda service come as they are, those of a handler as the JSON it answered with.
  if (errorType === "") return new StateFailure("Lambda.Unknown", errorMessage);
  if (errorType.startsWith("Lambda.")) return new StateFailure(errorType, errorMessage);
  return new StateFailure(errorType, JSON.stringify({ errorType, errorMessage }));
}

function resourceOf(state: TaskState): { readonly resourceType: string; readonly resource: string } {
  return { resourceType: "lambda", resource: waitsForToken(state) ? "invoke.waitForTaskToken" : "invoke" };
}
