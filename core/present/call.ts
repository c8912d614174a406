import * as z from "zod";
import { AnyObject } from "../../contract/schemas/common.ts";
import { RunFailure } from "../../contract/schemas/runs.ts";
import type { PendingToolCall, ToolCall } from "../../contract/schemas/tool-calls.ts";
import type { ApplicationResultCall } from "../../contract/schemas/tool-results.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { CallRecord } from "../session/records.ts";

/** A call as it was when it was requested, whatever became of it. */
export async function pendingCall(blobs: Blobs, record: CallRecord): Promise<PendingToolCall> {
  return {
    id: record.id,
    run_id: record.runId,
    tool: record.tool,
    connection_id: null,
    arguments: AnyObject.parse(await blobs.fetch(record.arguments)),
    status: "requested",
    result: null,
    error: null,
    execution: "application",
    deadline_at: z.string().parse(record.deadlineAt),
  };
}

/** A call as it settled. */
export async function settledCall(
  blobs: Blobs,
  record: CallRecord,
  status: "completed" | "failed" | "cancelled",
): Promise<ToolCall> {
  const [args, result, error] = await Promise.all([
    blobs.fetch(record.arguments),
    record.result === null ? null : blobs.fetch(record.result),
    record.error === null ? null : blobs.fetch(record.error),
  ]);
  return {
    id: record.id,
    run_id: record.runId,
    tool: record.tool,
    connection_id: record.connectionId,
    arguments: AnyObject.parse(args),
    status,
    result,
    error: RunFailure.nullable().parse(error),
    execution: record.execution,
    deadline_at: record.deadlineAt,
  };
}

/** A call as a receipt shows it (post_sessions_session_id_tool_results). */
export async function receiptCall(blobs: Blobs, record: CallRecord): Promise<ApplicationResultCall> {
  const call = await settledCall(blobs, record, record.status === "failed" ? "failed" : "completed");
  return {
    ...call,
    connection_id: null,
    execution: "application",
    status: call.status === "failed" ? "failed" : "completed",
    deadline_at: z.string().parse(record.deadlineAt),
  };
}
