/** Inputs: what is sent to a session. */
import * as z from "zod";
import { InputId, pageOf, RunId, SessionId, Timestamp } from "./common.ts";
import { Content } from "./content.ts";

export const InputMode = z.enum(["steer", "queue"]);
export type InputMode = z.infer<typeof InputMode>;

export const InputStatus = z.enum(["accepted", "applied", "cancelled"]);
export type InputStatus = z.infer<typeof InputStatus>;

export const CancellationReason = z.enum([
  "customer_cancelled",
  "session_archived",
  "run_completed",
  "run_failed",
  "run_stopped",
]);
export type CancellationReason = z.infer<typeof CancellationReason>;

export const ReasoningEffort = z
  .enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"])
  .describe("How hard the model thinks. A model knows some of these; left out, it gets one it knows.");
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

const request = {
  mode: InputMode.describe(
    "steer joins the active run, queue waits for a run of its own; either starts an idle session.",
  ),
  content: z.array(Content).min(1),
  reasoning_effort: ReasoningEffort.optional(),
};

export const SendInput = z.strictObject(request).describe("Something for the agent to work on.");
export type SendInput = z.infer<typeof SendInput>;

export const InitialInput = z
  .strictObject(request)
  .describe("A new session's first input. It starts a run; if it is refused, no session is created.");
export type InitialInput = z.infer<typeof InitialInput>;

export const Input = z
  .strictObject({
    id: InputId,
    session_id: SessionId,
    content: z.array(Content).min(1),
    mode: InputMode,
    reasoning_effort: ReasoningEffort.describe("The effort settled when the input was accepted."),
    status: InputStatus.describe("accepted: recorded. applied: the model has it. cancelled: it never will."),
    run_id: RunId.nullable().describe("Its run; null while it waits in the queue."),
    created_at: Timestamp,
    applied_at: Timestamp.nullable(),
    cancelled_at: Timestamp.nullable(),
    cancellation_reason: CancellationReason.nullable(),
  })
  .describe("A recorded input and what became of it.");
export type Input = z.infer<typeof Input>;

export const InputList = pageOf(Input).describe("A page of inputs.");
export type InputList = z.infer<typeof InputList>;
