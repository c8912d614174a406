import * as z from "zod";
import { Payload } from "./payload.ts";
import { Effort, InputMode, RunError, Usage } from "./state.ts";

/**
 * Records hold the content; the log holds facts about them by id. Each is written in the commit of
 * the event that makes it and changes only with a later event.
 */
export const InputRecord = z.strictObject({
  id: z.string(),
  mode: InputMode,
  effort: Effort,
  content: Payload,
  createdAt: z.string(),
  status: z.enum(["accepted", "applied", "cancelled"]),
  runId: z.string().nullable(),
  appliedAt: z.string().nullable(),
  cancelledAt: z.string().nullable(),
  cancellationReason: z.string().nullable(),
});
export type InputRecord = z.infer<typeof InputRecord>;

export const CallRecord = z.strictObject({
  id: z.string(),
  runId: z.string(),
  tool: z.string(),
  execution: z.enum(["application", "platform"]),
  connectionId: z.string().nullable(),
  arguments: Payload,
  deadlineAt: z.string().nullable(),
  status: z.enum(["requested", "running", "completed", "failed", "cancelled"]),
  result: Payload.nullable(),
  error: Payload.nullable(),
  /** True when a submitted result settled it: only then it has a receipt. */
  receipt: z.boolean(),
});
export type CallRecord = z.infer<typeof CallRecord>;

export const MessageRecord = z.strictObject({ id: z.string(), content: Payload, createdAt: z.string() });
export type MessageRecord = z.infer<typeof MessageRecord>;

/** A run that has ended. */
export const RunRecord = z.strictObject({
  id: z.string(),
  status: z.enum(["completed", "failed", "stopped"]),
  initialInputId: z.string(),
  appliedInputIds: z.array(z.string()),
  outputFileIds: z.array(z.string()),
  error: RunError.nullable(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** Tokens of all its model requests; left out where it had no answer. */
  usage: Usage.optional(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** Changes of records that go with a commit. A patch sets fields of a record that exists. */
export type RecordChange =
  | { readonly kind: "input"; readonly put: InputRecord }
  | { readonly kind: "input"; readonly id: string; readonly patch: Partial<Omit<InputRecord, "id">> }
  | { readonly kind: "call"; readonly put: CallRecord }
  | { readonly kind: "call"; readonly id: string; readonly patch: Partial<Omit<CallRecord, "id">> }
  | { readonly kind: "message"; readonly put: MessageRecord }
  | { readonly kind: "run"; readonly put: RunRecord };
