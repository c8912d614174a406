import { sequencedId } from "../../contract/ids.ts";
import type { Event } from "../../contract/schemas/events.ts";
import type { Run } from "../../contract/schemas/runs.ts";
import type { PublicSessionEvent, Snapshot } from "../session/events.ts";
import { parseMessageId } from "../session/ids.ts";
import type { InputRecord, MessageRecord } from "../session/records.ts";
import { pendingCall, settledCall } from "./call.ts";
import { presentInput } from "./input.ts";
import { presentMessage, presentMessages } from "./run.ts";
import { presentSnapshot } from "./session.ts";
import { loadRecords, type PresentPorts, type Records, required } from "./sources.ts";

/**
 * Events as clients see them: what the log names by id is read from its record. Live and replayed events
 * take this one path. Null when the session was deleted meanwhile.
 */
export async function presentEvents(
  ports: PresentPorts,
  session: { id: string; createdAt: string },
  events: readonly PublicSessionEvent[],
): Promise<Event[] | null> {
  const records = await loadRecords(ports, session.id, {
    inputs: events.flatMap((event) => ("inputId" in event ? [event.inputId] : [])),
    calls: events.flatMap(callIds),
    messages: events.flatMap((event) => ("messageId" in event ? [event.messageId] : [])),
  });
  if (records === null) return null;
  return Promise.all(
    events.map(async (event) => ({
      id: eventId(session.id, event.sequence),
      session_id: session.id,
      sequence: event.sequence,
      created_at: event.at,
      ...(await body(ports, records, session.createdAt, event)),
    })) as Promise<Event>[],
  );
}

/** An event's id names its place in the log. */
export const eventId = (sessionId: string, sequence: number): string =>
  sequencedId("evt", sessionId, sequence);

function callIds(event: PublicSessionEvent): readonly string[] {
  if ("callId" in event) return [event.callId];
  return "session" in event ? event.session.pendingCallIds : [];
}

type Body<E extends Event = Event> = E extends Event ? Pick<E, "type" | "data"> : never;

async function body(
  ports: PresentPorts,
  records: Records,
  createdAt: string,
  event: PublicSessionEvent,
): Promise<Body> {
  const { blobs } = ports;
  const moment = { sequence: event.sequence, updatedAt: event.at, createdAt };
  switch (event.type) {
    case "session.created":
      return { type: event.type, data: { session: await presentSnapshot(blobs, records, newborn, moment) } };
    case "session.updated":
    case "session.archived":
      return {
        type: event.type,
        data: { session: await presentSnapshot(blobs, records, event.session, moment) },
      };
    case "input.accepted":
    case "input.applied":
    case "input.cancelled": {
      const record = inputThen(required(records.inputs, event.inputId), event);
      const input = await presentInput(blobs, records.sessionId, record);
      return { type: event.type, data: { input } } as Body;
    }
    case "run.started":
    case "run.completed":
    case "run.failed":
    case "run.interrupted":
    case "run.stopped":
      return { type: event.type, data: { run: await runThen(ports, records.sessionId, event) } } as Body;
    case "message.completed": {
      const message = await presentMessage(blobs, required(records.messages, event.messageId));
      return {
        type: event.type,
        data: { run_id: event.runId, message, last_delta_index: event.lastDeltaIndex },
      };
    }
    case "tool.requested":
      return {
        type: event.type,
        data: { call: await pendingCall(blobs, required(records.calls, event.callId)) },
      };
    case "tool.completed":
    case "tool.failed":
    case "tool.cancelled": {
      const status = event.type.slice("tool.".length) as "completed" | "failed" | "cancelled";
      const call = await settledCall(blobs, required(records.calls, event.callId), status);
      return { type: event.type, data: { call } } as Body;
    }
    default:
      return event satisfies never;
  }
}

const newborn: Snapshot = {
  status: "active",
  activeRunId: null,
  activeRunStatus: null,
  pendingInputCount: 0,
  sandboxId: null,
  pendingCallIds: [],
};

/** The record's present, turned back to what it was at the event. */
function inputThen(
  record: InputRecord,
  event: Extract<PublicSessionEvent, { type: "input.accepted" | "input.applied" | "input.cancelled" }>,
): InputRecord {
  const then: InputRecord = {
    ...record,
    runId: event.runId,
    status: "accepted",
    appliedAt: null,
    cancelledAt: null,
    cancellationReason: null,
  };
  if (event.type === "input.applied") return { ...then, status: "applied", appliedAt: event.at };
  if (event.type === "input.accepted") return then;
  return { ...then, status: "cancelled", cancelledAt: event.at, cancellationReason: event.reason };
}

type RunEvent = Extract<
  PublicSessionEvent,
  { type: "run.started" | "run.completed" | "run.failed" | "run.interrupted" | "run.stopped" }
>;

async function runThen(ports: PresentPorts, sessionId: string, event: RunEvent): Promise<Run> {
  const started = event.type === "run.started";
  const run = {
    id: event.runId,
    session_id: sessionId,
    initial_input_id: started ? event.inputId : event.initialInputId,
    applied_input_ids: started ? [] : event.appliedInputIds,
    messages: started ? [] : await messagesThen(ports, sessionId, event.runId, event.answers),
    output_file_ids: event.type === "run.completed" ? event.outputFileIds : [],
    error: event.type === "run.failed" || event.type === "run.interrupted" ? event.error : null,
    started_at: started ? event.at : event.startedAt,
  };
  if (started) return { ...run, status: "running", ended_at: null };
  if (event.type === "run.interrupted") return { ...run, status: "interrupted", ended_at: null };
  const status = event.type.slice("run.".length) as "completed" | "failed" | "stopped";
  return { ...run, status, ended_at: event.at };
}

async function messagesThen(ports: PresentPorts, sessionId: string, runId: string, answers: number) {
  const messages = await ports.store.runMessages(sessionId, runId);
  const then = messages.filter(
    (message: MessageRecord) => (parseMessageId(message.id, sessionId)?.answer ?? 0) < answers,
  );
  return presentMessages(ports.blobs, then);
}
