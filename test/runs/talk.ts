import { expect } from "vitest";
import type { Event, EventType } from "../../contract/schemas/events.ts";
import { Input } from "../../contract/schemas/inputs.ts";
import type { Run } from "../../contract/schemas/runs.ts";
import type { Session } from "../../contract/schemas/sessions.ts";
import type { PendingToolCall } from "../../contract/schemas/tool-calls.ts";
import { ToolResultsReceipt } from "../../contract/schemas/tool-results.ts";
import { type RunUsage, UsageList } from "../../contract/schemas/usage.ts";
import { type Answer, type Backend, isIdle } from "../support/api.ts";
import { eventsOf, openStream } from "../support/sse.ts";

/** Longest wait for anything, in milliseconds: far more than it takes, so that only what never comes fails. */
const PATIENCE_MS = 30_000;
/** Looks come less often with time, so that a long wait takes little from what is waited for. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;

/** Resolves with what `read` gives once it is `wanted`. */
export async function eventually<T>(read: () => T | Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const value = await read();
    if (wanted(value)) return value;
    if (Date.now() > deadline) throw new Error(`it stayed ${JSON.stringify(value)?.slice(0, 2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

type Outcome =
  | { readonly success: true; readonly output: unknown }
  | { readonly success: false; readonly error: { readonly code: string; readonly message: string } };

export const output = (value: unknown): Outcome => ({ success: true, output: value });
export const failure = (code: string, message = "It failed."): Outcome => ({
  success: false,
  error: { code, message },
});

type EventOf<Type extends EventType> = Extract<Event, { type: Type }>;

/** One session as its backend sees it. Follows the stack over a restart. */
export type Talk = {
  readonly id: string;
  session(): Promise<Session>;
  until(wanted: (session: Session) => boolean): Promise<Session>;
  send(text: string, rest?: object): Promise<Input>;
  input(id: string): Promise<Input>;
  run(id: string): Promise<Run>;
  /** Resolves when the run is no longer the active one. */
  ended(run: string | Input): Promise<Run>;
  /** Sends an input and waits for the end of its run. */
  ask(text: string, rest?: object): Promise<Run>;
  /** Resolves when exactly so many calls are pending. */
  calls(count: number): Promise<readonly PendingToolCall[]>;
  /** Lets a paused session work again. */
  resume(): Promise<void>;
  submit(runId: string, ...results: readonly (Outcome & { readonly call_id: string })[]): Promise<Answer>;
  /** Submits a result that has to be accepted. */
  settle(call: PendingToolCall, outcome: Outcome): Promise<ToolResultsReceipt>;
  events(): Promise<Event[]>;
  /** So many events, from the first, as the stream tells them. */
  replay(count: number): Promise<Event[]>;
  /** What the runs used, oldest first. */
  usage(): Promise<readonly RunUsage[]>;
  eventsOf<Type extends EventType>(type: Type): Promise<EventOf<Type>[]>;
};

export function openTalk(api: () => Backend, id: string): Talk {
  const session = () => api().session(id);
  const until: Talk["until"] = (wanted) => eventually(session, wanted);
  const send: Talk["send"] = (text, rest) => api().sendInput(id, text, rest);
  const run = (runId: string) => api().run(id, runId);
  const events = () => api().events(id);
  const ended: Talk["ended"] = async (of) => {
    const runId = typeof of === "string" ? of : of.run_id;
    if (runId === null) throw new Error("the input has no run yet");
    await until((now) => now.active_run_id !== runId);
    return run(runId);
  };
  const submit: Talk["submit"] = (runId, ...results) =>
    api().send("POST", `/sessions/${id}/tool-results`, { run_id: runId, results });
  return {
    id,
    session,
    until,
    send,
    input: (inputId) => api().expectOk(Input, 200, "GET", `/sessions/${id}/inputs/${inputId}`),
    run,
    ended,
    ask: async (text, rest) => ended(await send(text, rest)),
    calls: async (count) =>
      (await until(({ pending_tool_calls: pending }) => pending.length === count)).pending_tool_calls,
    resume: async () => {
      const { status } = await api().send("POST", `/sessions/${id}/resume`);
      if (status !== 200) throw new Error(`resume answered ${status}`);
    },
    submit,
    settle: async (call, outcome) => {
      const answer = await submit(call.run_id, { call_id: call.id, ...outcome });
      if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
      return ToolResultsReceipt.parse(answer.body);
    },
    events,
    replay: async (count) => {
      const [first] = await events();
      const stream = await openStream(api(), id, { after: first?.id ?? "" });
      await stream.until((frames) => frames.length >= count - 1);
      await stream.close();
      return [...(first === undefined ? [] : [first]), ...eventsOf(stream.frames)];
    },
    usage: async () => (await api().expectOk(UsageList, 200, "GET", `/sessions/${id}/usage?limit=100`)).data,
    eventsOf: async <Type extends EventType>(type: Type) =>
      (await events()).filter((event): event is EventOf<Type> => event.type === type),
  };
}

/** Resolves when the session has nothing to do. */
export const settled = (talk: Talk): Promise<Session> => talk.until(isIdle);

/** Whatever came before, the session takes another input, that run completes, and the log and its replay are whole. */
export async function goesOn(talk: Talk): Promise<Run> {
  const { status } = await talk.session();
  if (status === "paused") await talk.resume();
  const run = await talk.ask("And now?");
  if (run.status !== "completed") throw new Error(`the next run ${run.status}: ${JSON.stringify(run.error)}`);
  const events = await talk.events();
  checkDense(events);
  expect(await talk.replay(events.length)).toEqual(events);
  return run;
}

/** The text of a run's messages. */
export const said = (run: Run): string[] =>
  run.messages.map(({ content }) =>
    content.map((block) => (block.type === "text" ? block.text : "")).join(""),
  );

/** Fails unless the log counts 1, 2, 3, … without a gap and never goes back in time. */
export function checkDense(events: readonly Event[]): void {
  events.forEach((event, index) => {
    if (event.sequence !== index + 1) throw new Error(`event ${index + 1} has sequence ${event.sequence}`);
    const before = events[index - 1];
    if (before !== undefined && before.created_at > event.created_at) throw new Error("time goes back");
  });
}

/** One item of a list that must have it. */
export function only<T>(list: readonly T[]): T {
  const [first, ...others] = list;
  if (first === undefined || others.length > 0) throw new Error(`expected one, there are ${list.length}`);
  return first;
}

/** Every item, where exactly so many are expected. */
export function exactly<T>(count: number, list: readonly T[]): readonly T[] {
  if (list.length !== count) throw new Error(`expected ${count}, there are ${list.length}`);
  return list;
}
