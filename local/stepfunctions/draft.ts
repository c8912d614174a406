import type { Definition, State } from "./definition.ts";
import { EvaluationError, HistoryFull, StateFailure } from "./errors.ts";
import { type Bindings, evaluateTemplate } from "./jsonata.ts";
import { bytesOf, maximumDataBytes, maximumEvents } from "./limits.ts";
import type { Head, HistoryEvent, Status, Visit } from "./records.ts";

/** The state machine that executions run on. */
export type Machine = {
  readonly stateMachineArn: string;
  readonly name: string;
  readonly roleArn: string;
  readonly region: string;
};

/** A function call to make, once the draft that asks for it is durable. */
export type Invocation = { readonly id: string; readonly functionName: string; readonly payload: unknown };

/** An execution on its way from one durable position to the next. Nothing outside sees it until it is committed. */
export type Draft = {
  readonly machine: Machine;
  readonly definition: Definition;
  readonly now: number;
  readonly priorEvents: number;
  readonly events: HistoryEvent[];
  head: Head;
  invocation?: Invocation;
};

/** What expressions see beside the execution's variables. */
export type Sight = { readonly result?: unknown; readonly errorOutput?: unknown; readonly token?: string };

/** The ARN of an execution. */
export function executionArn(machine: Machine, name: string): string {
  return `${machine.stateMachineArn.replace(":stateMachine:", ":execution:")}:${name}`;
}

/**
 * Adds an event to the history and returns its id.
 * @throws HistoryFull when only the event that ends the execution still fits.
 */
export function recordEvent(draft: Draft, type: string, details: Record<string, unknown> = {}): number {
  if (draft.priorEvents + draft.events.length + 1 >= maximumEvents) throw new HistoryFull();
  return append(draft, type, details);
}

/** Ends the execution. Error and cause are absent from a timed-out execution, as on AWS. */
export function endExecution(
  draft: Draft,
  status: Exclude<Status, "RUNNING">,
  end: {
    readonly output?: string;
    readonly error?: string | undefined;
    readonly cause?: string | undefined;
  } = {},
): void {
  append(draft, endEvents[status], status === "TIMED_OUT" ? { error: "States.Timeout" } : end);
  draft.head = { ...draft.head, ...end, status, stopDate: draft.now, position: undefined };
  delete draft.invocation;
}

/** Counts the entry into a state, or one more try of it, as AWS bills it. */
export function countTransition(draft: Draft): void {
  draft.head = { ...draft.head, transitions: draft.head.transitions + 1 };
}

/** Records the entry into a state. */
export function enter(draft: Draft, name: string, state: State, input: string): Visit {
  const enteredEvent = recordEvent(draft, `${state.Type}StateEntered`, { name, input });
  countTransition(draft);
  const retries = state.Type === "Task" ? state.Retry.map(() => 0) : [];
  return { state: name, input, enteredAt: draft.now, enteredEvent, retries };
}

/**
 * Evaluates one field of a state.
 * @throws StateFailure States.QueryEvaluationError, after recording it.
 */
export async function evaluateField(
  draft: Draft,
  visit: Visit,
  location: string,
  template: unknown,
  sight: Sight,
): Promise<unknown> {
  try {
    return await evaluateTemplate(template, location, bindingsOf(draft, visit, sight));
  } catch (thrown) {
    if (!(thrown instanceof EvaluationError)) throw thrown;
    throw evaluationFailure(draft, visit, thrown.location, thrown.message);
  }
}

/** Records that a field's value cannot be used, and returns the failure to throw. */
export function evaluationFailure(
  draft: Draft,
  visit: Visit,
  location: string,
  problem: string,
): StateFailure {
  const error = "States.QueryEvaluationError";
  const cause = `${stateError(visit)} ${problem}`;
  recordEvent(draft, "EvaluationFailed", { error, cause, location, state: visit.state });
  return new StateFailure(error, cause);
}

/** How AWS begins the cause of an error inside a state. */
export function stateError(visit: Visit): string {
  return `An error occurred while executing the state '${visit.state}' (entered at the event id #${visit.enteredEvent}).`;
}

/** @throws StateFailure States.DataLimitExceeded when the text is over 262,144 bytes. */
export function limitData(json: string, producer: string): string {
  if (bytesOf(json) <= maximumDataBytes) return json;
  throw new StateFailure(
    "States.DataLimitExceeded",
    `The state/task '${producer}' returned a result with a size exceeding the maximum number of bytes service limit.`,
  );
}

const endEvents = {
  SUCCEEDED: "ExecutionSucceeded",
  FAILED: "ExecutionFailed",
  TIMED_OUT: "ExecutionTimedOut",
  ABORTED: "ExecutionAborted",
} as const;

function append(draft: Draft, type: string, details: Record<string, unknown>): number {
  draft.events.push({ type, at: draft.now, details });
  return draft.priorEvents + draft.events.length;
}

function bindingsOf(draft: Draft, visit: Visit, sight: Sight): Bindings {
  const { token, ...results } = sight;
  const variables = Object.entries(draft.head.variables).map(([name, json]) => [name, JSON.parse(json)]);
  return {
    ...Object.fromEntries(variables),
    states: { input: JSON.parse(visit.input), ...results, context: contextOf(draft, visit, token) },
  };
}

function contextOf(draft: Draft, visit: Visit, token: string | undefined): unknown {
  const { machine, head } = draft;
  return {
    Execution: {
      Id: executionArn(machine, head.name),
      Input: JSON.parse(head.input),
      Name: head.name,
      RoleArn: machine.roleArn,
      StartTime: new Date(head.startDate).toISOString(),
      RedriveCount: 0,
    },
    StateMachine: { Id: machine.stateMachineArn, Name: machine.name },
    State: {
      Name: visit.state,
      EnteredTime: new Date(visit.enteredAt).toISOString(),
      RetryCount: visit.retries.reduce((sum, count) => sum + count, 0),
    },
    ...(token === undefined ? {} : { Task: { Token: token } }),
  };
}
