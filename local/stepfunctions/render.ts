import { executionArn, type Machine } from "./draft.ts";
import type { Head, HistoryEvent, Status } from "./records.ts";

// How the API and EventBridge show executions. AWS JSON counts time in seconds, EventBridge in milliseconds.

/** The detail of EventBridge's "Step Functions Execution Status Change". Dates are in milliseconds. */
export type StatusChange = {
  readonly executionArn: string;
  readonly stateMachineArn: string;
  readonly name: string;
  readonly status: Status;
  readonly startDate: number;
  readonly stopDate: number | null;
  readonly input: string;
  readonly output: string | null;
  readonly error: string | null;
  readonly cause: string | null;
};

export function statusChange(machine: Machine, head: Head): StatusChange {
  return {
    executionArn: executionArn(machine, head.name),
    stateMachineArn: machine.stateMachineArn,
    name: head.name,
    status: head.status,
    startDate: head.startDate,
    stopDate: head.stopDate ?? null,
    input: head.input,
    output: head.output ?? null,
    error: head.error ?? null,
    cause: head.cause ?? null,
  };
}

/** An execution as ListExecutions shows it. */
export function executionItem(machine: Machine, head: Head): object {
  return {
    executionArn: executionArn(machine, head.name),
    stateMachineArn: machine.stateMachineArn,
    name: head.name,
    status: head.status,
    startDate: seconds(head.startDate),
    stopDate: head.stopDate === undefined ? undefined : seconds(head.stopDate),
    redriveCount: 0,
  };
}

/** An execution as DescribeExecution shows it. */
export function executionDetail(machine: Machine, head: Head): object {
  return {
    ...executionItem(machine, head),
    input: head.input,
    inputDetails: { included: true },
    output: head.output,
    outputDetails: head.output === undefined ? undefined : { included: true },
    error: head.error,
    cause: head.cause,
    redriveStatus: "NOT_REDRIVABLE",
    redriveStatusReason: "Redrive is not available here.",
  };
}

/** The event with an id, as GetExecutionHistory shows it; without data if so asked. */
export function historyItem(event: HistoryEvent, id: number, includeData: boolean): object {
  const details: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(event.details)) {
    const data = dataDetails[key];
    if (data === undefined || includeData) details[key] = value;
    if (data !== undefined) details[data] = { truncated: false };
  }
  return {
    id,
    previousEventId: id <= 2 || ended.has(event.type) ? 0 : id - 1,
    timestamp: seconds(event.at),
    type: event.type,
    [detailsKey(event.type)]: details,
  };
}

/** Milliseconds as AWS JSON writes a moment. */
export function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}

// Events that end an execution from outside its states follow no event.
const ended = new Set(["ExecutionAborted", "ExecutionTimedOut"]);

const dataDetails: Readonly<Record<string, string>> = {
  input: "inputDetails",
  output: "outputDetails",
  assignedVariables: "assignedVariablesDetails",
};

function detailsKey(type: string): string {
  if (type.endsWith("StateEntered")) return "stateEnteredEventDetails";
  if (type.endsWith("StateExited")) return "stateExitedEventDetails";
  return `${type.charAt(0).toLowerCase()}${type.slice(1)}EventDetails`;
}
