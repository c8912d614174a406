/** Committed events of a session, in the order of `sequence`. */
import * as z from "zod";
import { EventId, pageOf, RunId, SandboxId, SessionId, Timestamp } from "./common.ts";
import { OutputFileMetadata } from "./files.ts";
import { Input, type InputStatus } from "./inputs.ts";
import { having, withStatedRules } from "./rules.ts";
import { AssistantMessage, Run, type RunStatus } from "./runs.ts";
import { Session } from "./sessions.ts";
import { PendingToolCall, ToolCall, type ToolCallStatus } from "./tool-calls.ts";

function event<Type extends string, Data extends z.ZodRawShape>(type: Type, data: Data, description: string) {
  return z
    .strictObject({
      id: EventId,
      session_id: SessionId,
      sequence: z.int().min(1),
      created_at: Timestamp,
      type: z.literal(type),
      data: z.strictObject(data),
    })
    .describe(description);
}

// An intersection would be shorter, but it takes keys that only its open side knows.

function inputWith<Status extends InputStatus>(status: Status) {
  const schema = Input.refine(
    (input): input is Input & { status: Status } => input.status === status,
    `This event is for an input that is ${status}.`,
  );
  return withStatedRules(schema, { allOf: [having({ status: z.literal(status) })] });
}

function runWith<Status extends RunStatus>(status: Status) {
  const schema = Run.refine(
    (run): run is Run & { status: Status } => run.status === status,
    `This event is for a run that is ${status}.`,
  );
  return withStatedRules(schema, { allOf: [having({ status: z.literal(status) })] });
}

function callWith<Status extends ToolCallStatus>(status: Status) {
  const schema = ToolCall.refine(
    (call): call is ToolCall & { status: Status } => call.status === status,
    `This event is for a call that is ${status}.`,
  );
  return withStatedRules(schema, { allOf: [having({ status: z.literal(status) })] });
}

export const SessionCreatedEvent = event("session.created", { session: Session }, "The session exists.");
export type SessionCreatedEvent = z.infer<typeof SessionCreatedEvent>;

export const SessionUpdatedEvent = event(
  "session.updated",
  { session: Session },
  "The session's status or queue is another now.",
);
export type SessionUpdatedEvent = z.infer<typeof SessionUpdatedEvent>;

export const SessionArchivedEvent = event(
  "session.archived",
  { session: Session },
  "The session is read-only; what was queued is cancelled.",
);
export type SessionArchivedEvent = z.infer<typeof SessionArchivedEvent>;

export const InputAcceptedEvent = event(
  "input.accepted",
  { input: inputWith("accepted") },
  "An input is recorded.",
);
export type InputAcceptedEvent = z.infer<typeof InputAcceptedEvent>;

export const InputAppliedEvent = event(
  "input.applied",
  { input: inputWith("applied") },
  "The model has the input.",
);
export type InputAppliedEvent = z.infer<typeof InputAppliedEvent>;

export const InputCancelledEvent = event(
  "input.cancelled",
  { input: inputWith("cancelled") },
  "An input was cancelled before the model had it.",
);
export type InputCancelledEvent = z.infer<typeof InputCancelledEvent>;

export const RunStartedEvent = event("run.started", { run: runWith("running") }, "A run begins.");
export type RunStartedEvent = z.infer<typeof RunStartedEvent>;

export const RunCompletedEvent = event(
  "run.completed",
  { run: runWith("completed") },
  "A run ended in the normal way, which says nothing of the answer's worth.",
);
export type RunCompletedEvent = z.infer<typeof RunCompletedEvent>;

export const RunFailedEvent = event(
  "run.failed",
  { run: runWith("failed") },
  "A run failed; the session is paused and keeps its queue.",
);
export type RunFailedEvent = z.infer<typeof RunFailedEvent>;

export const RunInterruptedEvent = event(
  "run.interrupted",
  { run: runWith("interrupted") },
  "A run lost its execution; it stays the active one until it is stopped.",
);
export type RunInterruptedEvent = z.infer<typeof RunInterruptedEvent>;

export const RunStoppedEvent = event(
  "run.stopped",
  { run: runWith("stopped") },
  "A run was stopped; what its tools had begun may go on.",
);
export type RunStoppedEvent = z.infer<typeof RunStoppedEvent>;

export const MessageCompletedEvent = event(
  "message.completed",
  {
    run_id: RunId,
    message: AssistantMessage,
    last_delta_index: z
      .int()
      .min(-1)
      .optional()
      .describe("The last preview chunk made for it; -1 when there was none."),
  },
  "A whole message, in place of its preview.",
);
export type MessageCompletedEvent = z.infer<typeof MessageCompletedEvent>;

export const ToolRequestedEvent = event(
  "tool.requested",
  { call: PendingToolCall },
  "A function call waits for your application.",
);
export type ToolRequestedEvent = z.infer<typeof ToolRequestedEvent>;

export const ToolStartedEvent = event(
  "tool.started",
  // The rules of ToolCall leave `running` to platform calls.
  { call: callWith("running") },
  "The platform sent off a call.",
);
export type ToolStartedEvent = z.infer<typeof ToolStartedEvent>;

export const ToolCompletedEvent = event(
  "tool.completed",
  { call: callWith("completed") },
  "A call has its result.",
);
export type ToolCompletedEvent = z.infer<typeof ToolCompletedEvent>;

export const ToolFailedEvent = event(
  "tool.failed",
  { call: callWith("failed") },
  "A call failed; what it did outside may be unknown. The run may go on.",
);
export type ToolFailedEvent = z.infer<typeof ToolFailedEvent>;

export const ToolCancelledEvent = event(
  "tool.cancelled",
  { call: callWith("cancelled") },
  "A call was dropped because its run ended; a later outcome is ignored.",
);
export type ToolCancelledEvent = z.infer<typeof ToolCancelledEvent>;

export const SandboxProvisionedEvent = event(
  "sandbox.provisioned",
  { sandbox_id: SandboxId },
  "The session has a sandbox.",
);
export type SandboxProvisionedEvent = z.infer<typeof SandboxProvisionedEvent>;

export const SandboxLostEvent = event(
  "sandbox.lost",
  { sandbox_id: SandboxId, reason: z.string().min(1) },
  "The sandbox is gone; history and saved files remain.",
);
export type SandboxLostEvent = z.infer<typeof SandboxLostEvent>;

export const OutputFileCreatedEvent = event(
  "file.created",
  { file: OutputFileMetadata },
  "A run's output is saved and can be downloaded.",
);
export type OutputFileCreatedEvent = z.infer<typeof OutputFileCreatedEvent>;

export const Event = z
  .discriminatedUnion("type", [
    SessionCreatedEvent,
    InputAcceptedEvent,
    InputAppliedEvent,
    InputCancelledEvent,
    RunStartedEvent,
    RunCompletedEvent,
    RunFailedEvent,
    RunInterruptedEvent,
    RunStoppedEvent,
    SessionUpdatedEvent,
    SessionArchivedEvent,
    MessageCompletedEvent,
    ToolStartedEvent,
    ToolCompletedEvent,
    ToolFailedEvent,
    SandboxProvisionedEvent,
    SandboxLostEvent,
    OutputFileCreatedEvent,
    ToolRequestedEvent,
    ToolCancelledEvent,
  ])
  .describe("Something that happened in a session and is recorded for good.");
export type Event = z.infer<typeof Event>;

export type EventType = Event["type"];

/** Every event type, in the order of the union. */
export const eventTypes: readonly EventType[] = Event.options.map((option) => option.shape.type.value);

export const EventList = pageOf(Event).describe("A page of events.");
export type EventList = z.infer<typeof EventList>;
