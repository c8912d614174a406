import { type Decision, type Draft, draft, logTime, type Refusal, refuse } from "../decision.ts";
import { type Payload, samePayload } from "../payload.ts";
import type { CallRecord } from "../records.ts";
import { limits, type OpenCall, type SessionState } from "../state.ts";
import { isRefusal, runAt } from "./current.ts";
import { wake } from "./wake.ts";

export type RequestCalls = {
  /** Where the run stood when the script began. */
  readonly place: string;
  readonly calls: readonly { readonly tool: string; readonly ordinal: number; readonly arguments: Payload }[];
  readonly at: string;
  /** How long the application has to answer. */
  readonly answerMs: number;
};

/**
 * Requests application functions: requests, deadlines and the wait are one commit (get_sessions_session_id).
 * Nothing is requested once a pause was asked for (post_sessions_session_id_pause).
 */
export function requestCalls(state: SessionState, command: RequestCalls): Decision | Refusal {
  const run = runAt(state, command.place);
  if (isRefusal(run)) return run;
  if (state.status !== "active") return refuse("stale", "the session is paused: nothing more is requested");
  if (run.turn.at !== "script") return refuse("stale", "the run is in no script");
  const change = draft(state, command.at);
  // From the time in the log: a host whose clock is behind gives nobody less time.
  const deadlineAt = new Date(Date.parse(change.at) + command.answerMs).toISOString();
  for (const call of command.calls) requestCall(change, run.id, deadlineAt, call);
  return change.finish();
}

/** How many more unresolved calls the active run may have. */
export const roomForCalls = (state: SessionState): number =>
  limits.openCalls - (state.run?.calls.length ?? 0);

function requestCall(
  change: Draft,
  runId: string,
  deadlineAt: string,
  call: RequestCalls["calls"][number],
): void {
  const callId = change.mint("call");
  change.emit({ type: "tool.requested", callId, runId, tool: call.tool, ordinal: call.ordinal, deadlineAt });
  change.change({
    kind: "call",
    put: {
      id: callId,
      runId,
      tool: call.tool,
      execution: "application",
      connectionId: null,
      arguments: call.arguments,
      deadlineAt,
      status: "requested",
      result: null,
      error: null,
      receipt: false,
    },
  });
}

export type ToolResult = {
  readonly callId: string;
  readonly outcome: { readonly output: Payload } | { readonly error: Payload };
};

export type SubmitResults = {
  readonly runId: string;
  readonly results: readonly ToolResult[];
  /** The records of the named calls; a call without one is not of this session. */
  readonly records: ReadonlyMap<string, CallRecord>;
  readonly at: string;
};

/**
 * Accepts application results (post_sessions_session_id_tool_results). The batch is checked whole, in this
 * order: repeated ids, calls of no session, of the platform, of another run, then each result. Identical
 * retries change nothing; a batch of only those is a decision without events.
 */
export function submitResults(state: SessionState, command: SubmitResults): Decision | Refusal {
  const refusal = refuseBatch(command) ?? refuseResults(state, command);
  if (refusal !== null) return refusal;
  const change = draft(state, command.at);
  const fresh = command.results.filter((result) => command.records.get(result.callId)?.receipt === false);
  for (const result of fresh) settle(change, command.runId, result);
  if (fresh.length > 0 && state.status === "active") wake(change);
  return change.finish();
}

function refuseBatch(command: SubmitResults): Refusal | null {
  const ids = command.results.map((result) => result.callId);
  if (new Set(ids).size < ids.length) {
    return refuse(
      "duplicate_call_id",
      "The batch has two results for one call. Send one result for each call.",
    );
  }
  const records = ids.map((id) => command.records.get(id));
  if (records.includes(undefined)) {
    return refuse("not_found", "A result names a call that this session does not have.");
  }
  if (records.some((record) => record?.execution === "platform")) {
    return refuse("invalid_tool_result", "A result names a call that the platform executes itself.");
  }
  if (records.some((record) => record?.runId !== command.runId)) {
    return refuse(
      "tool_call_run_mismatch",
      "A result names a call of another run. Send the run_id of the call.",
    );
  }
  return null;
}

function refuseResults(state: SessionState, command: SubmitResults): Refusal | null {
  for (const result of command.results) {
    const record = command.records.get(result.callId);
    if (record?.receipt === true) {
      if (sameOutcome(record, result)) continue;
      return refuse("tool_result_conflict", "The call already has a different accepted result.");
    }
    if (!isPending(state, command, result.callId)) {
      return refuse(
        "tool_call_not_pending",
        "The call no longer accepts a result: it was resolved, expired or cancelled.",
      );
    }
  }
  return null;
}

function sameOutcome(record: CallRecord, result: ToolResult): boolean {
  if ("output" in result.outcome)
    return record.result !== null && samePayload(record.result, result.outcome.output);
  return record.error !== null && samePayload(record.error, result.outcome.error);
}

/** The server time, as the log will show it, must be strictly before the deadline. */
function isPending(state: SessionState, command: SubmitResults, callId: string): boolean {
  const run = state.run;
  if (run === null || run.id !== command.runId) return false;
  if (run.status !== "waiting_for_tools" && run.status !== "interrupted") return false;
  const call = run.calls.find((open) => open.id === callId);
  const at = logTime(state, command.at);
  return call?.deadlineAt !== undefined && call.deadlineAt !== null && at < call.deadlineAt;
}

function settle(change: Draft, runId: string, { callId, outcome }: ToolResult): void {
  if ("output" in outcome) {
    change.emit({ type: "tool.completed", callId, runId });
    change.change({
      kind: "call",
      id: callId,
      patch: { status: "completed", result: outcome.output, receipt: true },
    });
  } else {
    change.emit({ type: "tool.failed", callId, runId });
    change.change({
      kind: "call",
      id: callId,
      patch: { status: "failed", error: outcome.error, receipt: true },
    });
  }
}

/** Fails the calls whose deadline has come with `tool_result_timeout`, whatever state the run is in. */
export function expireCalls(state: SessionState, now: string): Decision | Refusal {
  const run = state.run;
  const at = logTime(state, now);
  const overdue = run?.calls.filter((call) => isOverdue(call, at)) ?? [];
  const change = draft(state, at);
  for (const call of overdue) expire(change, call, run?.id ?? "");
  if (overdue.length > 0 && state.status === "active") wake(change);
  return change.finish();
}

const isOverdue = (call: OpenCall, at: string): boolean => call.deadlineAt !== null && call.deadlineAt <= at;

const timeout = {
  code: "tool_result_timeout",
  message: "No result arrived before the deadline. The function may still have run.",
};

function expire(change: Draft, { id }: OpenCall, runId: string): void {
  change.emit({ type: "tool.failed", callId: id, runId });
  change.change({ kind: "call", id, patch: { status: "failed", error: { inline: timeout } } });
}

/** Cancels every unresolved call of the active run, but for those whose deadline came first: they expire. */
export function cancelCalls(change: Draft, message: string): void {
  const run = change.state().run;
  for (const call of run?.calls ?? []) {
    if (isOverdue(call, change.at)) expire(change, call, run?.id ?? "");
    else cancel(change, call, run?.id ?? "", message);
  }
}

function cancel(change: Draft, { id }: OpenCall, runId: string, message: string): void {
  change.emit({ type: "tool.cancelled", callId: id, runId });
  const error = { inline: { code: "tool_call_cancelled", message } };
  change.change({ kind: "call", id, patch: { status: "cancelled", error } });
}
