/** Tool calls as they are recorded. */
import * as z from "zod";
import { AnyObject, CallId, ConnectionId, JsonValue, RunId, Timestamp } from "./common.ts";
import { having, withRules } from "./rules.ts";
import { RunFailure } from "./runs.ts";

export const ToolCallStatus = z.enum(["requested", "running", "completed", "failed", "cancelled"]);
export type ToolCallStatus = z.infer<typeof ToolCallStatus>;

export const ToolExecution = z.enum(["platform", "application"]);
export type ToolExecution = z.infer<typeof ToolExecution>;

const settled = ["completed", "failed", "cancelled"] as const;

export const ToolCall = withRules(
  z
    .strictObject({
      id: CallId,
      run_id: RunId,
      tool: z.string().min(1).describe("A built-in, a function, or mcp_ + connection id + _ + remote name."),
      connection_id: ConnectionId.nullable().describe("Set for MCP tools."),
      arguments: AnyObject,
      status: ToolCallStatus,
      result: JsonValue.describe("Text of a platform tool, or a function's output; null until there is one."),
      error: RunFailure.nullable(),
      execution: ToolExecution.describe("platform for built-ins and MCP tools, application for functions."),
      deadline_at: Timestamp.nullable().describe(
        "Until when a function's result is taken; null for platform tools.",
      ),
    })
    .describe("A tool call and how it ended."),
  {
    anyOf: [
      having({ status: z.enum(["requested", "running", "completed", "cancelled"]) }),
      having({ status: z.literal("failed"), error: RunFailure }),
    ],
    oneOf: [
      having({
        execution: z.literal("platform"),
        status: z.enum(["running", ...settled]),
        result: z.string().nullable(),
        deadline_at: z.null(),
      }),
      having({
        execution: z.literal("application"),
        status: z.enum(["requested", ...settled]),
        connection_id: z.null(),
        deadline_at: Timestamp,
      }),
    ],
  },
  "execution and status do not fit error, result, connection_id or deadline_at.",
);
export type ToolCall = z.infer<typeof ToolCall>;

export const PendingToolCall = z
  .strictObject({
    id: CallId.describe("Send it back as call_id."),
    run_id: RunId,
    tool: z.string().min(1),
    connection_id: z.null(),
    arguments: AnyObject,
    status: z.literal("requested"),
    result: z.null(),
    error: z.null(),
    execution: z.literal("application"),
    deadline_at: Timestamp,
  })
  .describe("A function call that waits for your application's result.");
export type PendingToolCall = z.infer<typeof PendingToolCall>;
