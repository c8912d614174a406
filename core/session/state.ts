import * as z from "zod";
import { Payload } from "./payload.ts";

export const Effort = z.enum(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
export const InputMode = z.enum(["steer", "queue"]);
export const RunError = z.strictObject({ code: z.string().min(1), message: z.string().min(1) });
export type RunError = z.infer<typeof RunError>;

/** An accepted input that no run has applied yet. Its content is in its own record. */
export const HeldInput = z.strictObject({
  id: z.string(),
  mode: InputMode,
  effort: Effort,
  createdAt: z.string(),
});
export type HeldInput = z.infer<typeof HeldInput>;

/** An unresolved tool call. Its arguments are in its own record. */
export const OpenCall = z.strictObject({
  id: z.string(),
  tool: z.string(),
  execution: z.enum(["application", "platform"]),
  connectionId: z.string().nullable(),
  deadlineAt: z.string().nullable(),
});
export type OpenCall = z.infer<typeof OpenCall>;

/** Tokens as a provider counts them; the cached ones are among the input. */
export const Usage = z.strictObject({
  input: z.int().nonnegative(),
  output: z.int().nonnegative(),
  cached: z.int().nonnegative(),
});
export type Usage = z.infer<typeof Usage>;

/** Where the turn engine stands in a run. */
export const Turn = z.discriminatedUnion("at", [
  /** Bound inputs are applied, then the model is asked; `failures` counts its transient failures in a row. */
  z.strictObject({
    at: z.literal("model"),
    failures: z.int().nonnegative(),
    /** After a failure, when the model may be asked again. */
    notBefore: z.string().optional(),
    /** How often the conversation was compacted for this request; left out while it was not. */
    compactions: z.int().positive().optional(),
    /** How often it was repaired for this request; left out while it was not. */
    repairs: z.int().positive().optional(),
  }),
  /** Script `index` of `count` of the last answer runs; what it did is in the log after `since`. */
  z.strictObject({
    at: z.literal("script"),
    index: z.int().nonnegative(),
    count: z.int().positive(),
    since: z.int().nonnegative(),
    startedAt: z.string(),
    calls: z.int().nonnegative(),
  }),
]);
export type Turn = z.infer<typeof Turn>;

const runFields = {
  id: z.string(),
  initialInputId: z.string(),
  startedAt: z.string(),
  appliedInputIds: z.array(z.string()),
  /** Bound and not applied: the initial input first, then steering. */
  steering: z.array(HeldInput),
  /** Unresolved calls in request order. Application calls make a run `waiting_for_tools`. */
  calls: z.array(OpenCall),
  /** Effort of the last applied input; null before the first is applied. */
  effort: Effort.nullable(),
  turn: Turn,
  /** Model answers so far; numbers the run's messages. */
  answers: z.int().nonnegative(),
  /** How many of the latest answers, in a row, were cut at a limit of their length; left out while none was. */
  cuts: z.int().nonnegative().optional(),
  /** What the run has used so far; left out before its first answer. */
  usage: Usage.optional(),
  /** Which execution carries the run: a run that outgrows one continues in the next. */
  leg: z.int().positive(),
  /** False until an execution has taken the run up. */
  begun: z.boolean(),
  /** Task token of a parked run. */
  parked: z.string().nullable(),
  /** Task token that was consumed and is to be released. */
  waking: z.string().nullable(),
};

/** The active run. A terminal run has its own record and is not here. */
export const ActiveRun = z.discriminatedUnion("status", [
  z.strictObject({ ...runFields, status: z.literal("running") }),
  z.strictObject({ ...runFields, status: z.literal("waiting_for_tools") }),
  z.strictObject({ ...runFields, status: z.literal("stopping") }),
  z.strictObject({ ...runFields, status: z.literal("interrupted"), error: RunError }),
]);
export type ActiveRun = z.infer<typeof ActiveRun>;

/** Where the conversation is: segments in S3, by the version that wrote them, then the log after `sequence`/`version`. */
export const TranscriptPointer = z.strictObject({
  segments: z.array(z.int().positive()),
  sequence: z.int().nonnegative(),
  version: z.int().nonnegative(),
});
export type TranscriptPointer = z.infer<typeof TranscriptPointer>;

/** Live state of a session: the fold of its log. What never changes is in `SessionConfig`. */
export const SessionState = z.strictObject({
  id: z.string(),
  projectId: z.string(),
  /** Sequence of the last public event. */
  sequence: z.int().nonnegative(),
  status: z.enum(["active", "pausing", "paused", "archived"]),
  run: ActiveRun.nullable(),
  /** Accepted inputs without a run, in acceptance order. */
  queue: z.array(HeldInput),
  sandboxId: z.string().nullable(),
  transcript: TranscriptPointer,
  /** What scripts stored for later scripts of the session. */
  memory: Payload.nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type SessionState = z.infer<typeof SessionState>;

/**
 * Bounds of what the head holds. A transaction has at most 100 actions: failing a run writes its open calls,
 * its unapplied inputs and four items more; archiving a session its whole queue.
 */
export const limits = {
  /** Inputs waiting for a run of their own. */
  queuedInputs: 90,
  /** Inputs bound to one run and not applied yet. */
  boundInputs: 40,
  /** Inputs that one run applies in all. */
  appliedInputs: 1_000,
  /** Unresolved calls of a run; a script's further calls are requested as others settle. */
  openCalls: 48,
  /** Cut answers in a row that end a run. */
  cutAnswers: 3,
} as const;
