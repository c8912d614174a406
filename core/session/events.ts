import * as z from "zod";
import { JsonValue } from "../../contract/schemas/common.ts";
import { Payload } from "./payload.ts";
import { Effort, InputMode, RunError, TranscriptPointer, Usage } from "./state.ts";

/** What a session looked like after an event; `last_event_sequence` and `updated_at` are the event's own. */
export const Snapshot = z.strictObject({
  status: z.enum(["active", "pausing", "paused", "archived"]),
  activeRunId: z.string().nullable(),
  activeRunStatus: z.enum(["running", "waiting_for_tools", "interrupted", "stopping"]).nullable(),
  pendingInputCount: z.int().nonnegative(),
  sandboxId: z.string().nullable(),
  pendingCallIds: z.array(z.string()),
});
export type Snapshot = z.infer<typeof Snapshot>;

/** A run as its event saw it. Its messages are the first `answers` of the run's records. */
const runView = {
  runId: z.string(),
  initialInputId: z.string(),
  appliedInputIds: z.array(z.string()),
  startedAt: z.string(),
  answers: z.int().nonnegative(),
};

const sequenced = { sequence: z.int().positive(), at: z.string() };
const internal = { at: z.string() };
const called = { callId: z.string(), runId: z.string() };

/** Public events: those of the reference, with ids in place of the content that records hold. */
const publicEvents = [
  z.strictObject({
    ...sequenced,
    type: z.literal("session.created"),
    sessionId: z.string(),
    projectId: z.string(),
  }),
  z.strictObject({
    ...sequenced,
    type: z.literal("input.accepted"),
    inputId: z.string(),
    mode: InputMode,
    effort: Effort,
    runId: z.string().nullable(),
  }),
  z.strictObject({ ...sequenced, type: z.literal("input.applied"), inputId: z.string(), runId: z.string() }),
  z.strictObject({
    ...sequenced,
    type: z.literal("input.cancelled"),
    inputId: z.string(),
    runId: z.string().nullable(),
    reason: z.enum(["customer_cancelled", "session_archived", "run_failed", "run_stopped"]),
  }),
  z.strictObject({ ...sequenced, type: z.literal("run.started"), runId: z.string(), inputId: z.string() }),
  z.strictObject({
    ...sequenced,
    ...runView,
    type: z.literal("run.completed"),
    outputFileIds: z.array(z.string()),
  }),
  z.strictObject({ ...sequenced, ...runView, type: z.literal("run.failed"), error: RunError }),
  z.strictObject({ ...sequenced, ...runView, type: z.literal("run.interrupted"), error: RunError }),
  z.strictObject({ ...sequenced, ...runView, type: z.literal("run.stopped") }),
  z.strictObject({
    ...sequenced,
    type: z.literal("message.completed"),
    messageId: z.string(),
    runId: z.string(),
    lastDeltaIndex: z.int().min(-1),
  }),
  z.strictObject({
    ...sequenced,
    ...called,
    type: z.literal("tool.requested"),
    tool: z.string(),
    /** Which call of the running script it is, counted from 0. */
    ordinal: z.int().nonnegative(),
    deadlineAt: z.string(),
  }),
  z.strictObject({ ...sequenced, ...called, type: z.literal("tool.completed") }),
  z.strictObject({ ...sequenced, ...called, type: z.literal("tool.failed") }),
  z.strictObject({ ...sequenced, ...called, type: z.literal("tool.cancelled") }),
  z.strictObject({ ...sequenced, type: z.literal("session.updated"), session: Snapshot }),
  z.strictObject({ ...sequenced, type: z.literal("session.archived"), session: Snapshot }),
] as const;

/** What is done to the entries of the conversation, for all later requests, when a provider does not take them. */
export const Repair = z.discriminatedUnion("kind", [
  /** The sealed reasoning of the first so many entries is left out. */
  z.strictObject({ kind: z.literal("unsealed"), entries: z.int().positive() }),
  /** One entry, by its index, is cut to about so many tokens; 0: a note stands for it. */
  z.strictObject({
    kind: z.literal("shortened"),
    entry: z.int().nonnegative(),
    longest: z.int().nonnegative(),
  }),
  /** All entries from an index on give way to a note: the provider declined what they say. */
  z.strictObject({ kind: z.literal("declined"), from: z.int().nonnegative() }),
]);
export type Repair = z.infer<typeof Repair>;

/** Internal events: what the turn engine has to remember. They have no sequence and are never shown. */
const internalEvents = [
  /** An execution has taken the run up. */
  z.strictObject({ ...internal, type: z.literal("engine.begun") }),
  /** The model answered; the payload is a `StoredAnswer`. */
  z.strictObject({
    ...internal,
    type: z.literal("engine.answered"),
    answer: Payload,
    scripts: z.int().nonnegative(),
    /** It reached a limit of its length; left out where it did not. */
    cut: z.literal(true).optional(),
    usage: Usage.optional(),
  }),
  /** Tokens of requests that led to nothing else. */
  z.strictObject({ ...internal, type: z.literal("engine.spent"), usage: Usage }),
  /** A model request failed for a passing reason and is to be sent again. */
  z.strictObject({
    ...internal,
    type: z.literal("engine.retried"),
    failures: z.int().positive(),
    notBefore: z.string().optional(),
  }),
  z.strictObject({
    ...internal,
    type: z.literal("engine.script_ended"),
    scriptId: z.string(),
    output: Payload,
    failed: z.boolean(),
    /** The session's script memory, where the script changed it. */
    memory: Payload.nullable(),
  }),
  /** The run waits for a task token to be released. */
  z.strictObject({ ...internal, type: z.literal("engine.parked"), token: z.string() }),
  /** The token was consumed: whoever committed this, or the stream consumer after it, releases it. */
  z.strictObject({ ...internal, type: z.literal("engine.woken") }),
  /** The run goes on in another execution, because this one nears the limit of its history. */
  z.strictObject({ ...internal, type: z.literal("engine.continued"), leg: z.int().min(2) }),
  /** The conversation up to here is in S3. */
  z.strictObject({
    ...internal,
    type: z.literal("engine.checkpointed"),
    transcript: TranscriptPointer,
  }),
  /**
   * The first `replaces` entries of the conversation gave way to a summary of them, a text (null where there are
   * none), and texts of the others were cut to about `longest` tokens (null: none was).
   */
  z.strictObject({
    ...internal,
    type: z.literal("engine.compacted"),
    summary: Payload.nullable(),
    replaces: z.int().nonnegative(),
    longest: z.int().positive().nullable(),
    usage: Usage.optional(),
  }),
  /** The conversation was changed so that its provider takes it. */
  z.strictObject({ ...internal, type: z.literal("engine.repaired"), repair: Repair }),
] as const;

export const PublicSessionEvent = z.discriminatedUnion("type", publicEvents);
export type PublicSessionEvent = z.infer<typeof PublicSessionEvent>;
export const EngineEvent = z.discriminatedUnion("type", internalEvents);
export type EngineEvent = z.infer<typeof EngineEvent>;
export const SessionEvent = z.discriminatedUnion("type", [...publicEvents, ...internalEvents]);
export type SessionEvent = z.infer<typeof SessionEvent>;

/** An event before it has a place in the log. */
type Unplaced<E> = E extends unknown ? Omit<E, "sequence" | "at"> : never;
export type PublicEventBody = Unplaced<PublicSessionEvent>;
export type EngineEventBody = Unplaced<EngineEvent>;

export const isPublic = (event: SessionEvent): event is PublicSessionEvent => "sequence" in event;

/** The model's answer as the log keeps it. */
export const StoredAnswer = z.strictObject({
  native: JsonValue,
  scripts: z.array(
    z.union([
      z.strictObject({ id: z.string(), source: z.string() }),
      z.strictObject({ id: z.string(), source: z.null(), problem: z.string() }),
    ]),
  ),
  /** Tokens of the request and of this answer together, as the provider counted them; left out where it did not. */
  tokens: z.int().positive().optional(),
  /** The answer reached a limit of its length; left out where it did not. */
  cut: z.literal(true).optional(),
});
export type StoredAnswer = z.infer<typeof StoredAnswer>;
