/** Results that an application sends for its functions, and the receipts it gets. */
import * as z from "zod";
import { AnyObject, CallId, JsonValue, RunId, SessionId, Timestamp } from "./common.ts";
import { having, withRules } from "./rules.ts";

export const ToolResultError = z
  .strictObject({ code: z.string().min(1), message: z.string().min(1) })
  .describe("Your application's own error. The model and the history see it, so keep secrets out.");
export type ToolResultError = z.infer<typeof ToolResultError>;

export const SuccessfulToolResult = z
  .strictObject({
    call_id: CallId,
    success: z.literal(true),
    output: JsonValue.describe("Any JSON value; null must be written. The model and the history see it."),
  })
  .describe("A function that worked.");
export type SuccessfulToolResult = z.infer<typeof SuccessfulToolResult>;

export const FailedToolResult = z
  .strictObject({ call_id: CallId, success: z.literal(false), error: ToolResultError })
  .describe("A function that failed; the agent may carry on.");
export type FailedToolResult = z.infer<typeof FailedToolResult>;

export const ToolResult = z
  .discriminatedUnion("success", [SuccessfulToolResult, FailedToolResult])
  .describe("An output or an error for one call.");
export type ToolResult = z.infer<typeof ToolResult>;

// One call_id in two results fits: that is the operation's `duplicate_call_id`.
export const SubmitToolResults = z
  .strictObject({ run_id: RunId, results: z.array(ToolResult).min(1) })
  .describe("Results of one run's calls, taken together or not at all.");
export type SubmitToolResults = z.infer<typeof SubmitToolResults>;

export const ApplicationResultCall = withRules(
  z
    .strictObject({
      id: CallId,
      run_id: RunId,
      tool: z.string().min(1),
      connection_id: z.null(),
      arguments: AnyObject,
      status: z.enum(["completed", "failed"]),
      result: JsonValue.describe("The accepted output; null for a failure."),
      error: ToolResultError.nullable(),
      execution: z.literal("application"),
      deadline_at: Timestamp,
    })
    .describe("A function call with the result that was accepted for it."),
  {
    anyOf: [
      having({ status: z.literal("completed"), error: z.null() }),
      having({ status: z.literal("failed"), error: ToolResultError, result: z.null() }),
    ],
  },
  "A completed call has no error; a failed one has an error and no result.",
);
export type ApplicationResultCall = z.infer<typeof ApplicationResultCall>;

export const ToolResultsReceipt = z
  .strictObject({ session_id: SessionId, run_id: RunId, calls: z.array(ApplicationResultCall).min(1) })
  .describe(
    "The calls as recorded, in the order of the results. Sending the same again gives the same receipt.",
  );
export type ToolResultsReceipt = z.infer<typeof ToolResultsReceipt>;
