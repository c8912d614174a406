import * as z from "zod";

// What the journal holds, one record a line. JSON values of executions are kept as their text: it is
// what the API answers with, what is measured, and one string may serve several events.

const milliseconds = z.number();

const historyEvent = z.object({
  type: z.string(),
  at: milliseconds,
  details: z.record(z.string(), z.unknown()),
});

/** One stay in a state; its retries are counted from zero at each entry. */
const visit = {
  state: z.string(),
  input: z.string(),
  enteredAt: milliseconds,
  /** The id of the event by which the state was entered. */
  enteredEvent: z.int(),
  /** Retries made so far, one number for each retrier of the state. */
  retries: z.array(z.int()),
};

const position = z.discriminatedUnion("at", [
  z.object({ at: z.literal("state"), state: z.string(), input: z.string() }),
  z.object({
    at: z.literal("task"),
    ...visit,
    invocation: z.string(),
    /** True once the function has returned and only the token is awaited. */
    returned: z.boolean(),
    token: z.string().optional(),
    timeoutAt: milliseconds.optional(),
    heartbeatSeconds: z.number().optional(),
    heartbeatAt: milliseconds,
  }),
  z.object({ at: z.literal("retry"), ...visit, until: milliseconds }),
  z.object({ at: z.literal("wait"), ...visit, until: milliseconds }),
]);

const head = z.object({
  /** Counts executions in the order they were started. */
  sequence: z.int(),
  name: z.string(),
  /** The hash of the definition it was started with, which it keeps to its end. */
  definition: z.string(),
  status: z.enum(["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"]),
  input: z.string(),
  startDate: milliseconds,
  stopDate: milliseconds.optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  cause: z.string().optional(),
  timeoutAt: milliseconds.optional(),
  transitions: z.int(),
  variables: z.record(z.string(), z.string()),
  /** Where the execution stands; absent once it has ended. */
  position: position.optional(),
});

const record = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("open"),
    version: z.literal(1),
    stateMachineArn: z.string(),
    createdAt: milliseconds,
  }),
  z.object({ kind: z.literal("definition"), definition: z.unknown() }),
  /** Names of executions whose detail was dropped; they stay taken. */
  z.object({ kind: z.literal("names"), names: z.array(z.string()) }),
  /** The new head of an execution and the events that led to it. */
  z.object({ kind: z.literal("change"), head, events: z.array(historyEvent) }),
]);

export type HistoryEvent = z.infer<typeof historyEvent>;
export type Position = z.infer<typeof position>;
export type TaskPosition = Extract<Position, { at: "task" }>;
export type Visit = Pick<TaskPosition, "state" | "input" | "enteredAt" | "enteredEvent" | "retries">;
export type Head = z.infer<typeof head>;
export type Status = Head["status"];
export type JournalRecord = z.infer<typeof record>;
export type Change = Extract<JournalRecord, { kind: "change" }>;

/** Reads one line of the journal; undefined when it is not a record. */
export function parseRecord(line: string): JournalRecord | undefined {
  try {
    return record.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

/** The moment at which an execution must be looked at again, in milliseconds; undefined when never. */
export function deadlineOf(head: Head): number | undefined {
  const moments: (number | undefined)[] = [head.timeoutAt];
  const position = head.position;
  if (position?.at === "retry" || position?.at === "wait") moments.push(position.until);
  if (position?.at === "task") moments.push(position.timeoutAt, heartbeatDeadline(position));
  const known = moments.filter((moment) => moment !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** When a task without a further heartbeat times out; undefined when it needs none. */
export function heartbeatDeadline(position: TaskPosition): number | undefined {
  if (position.heartbeatSeconds === undefined) return undefined;
  return position.heartbeatAt + position.heartbeatSeconds * 1000;
}
