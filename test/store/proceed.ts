import type { Json } from "../../contract/json.ts";
import type { SessionStore } from "../../core/ports/store.ts";
import { append, type Command, next, type Past } from "../support/specification.ts";

type Stored = Past & { readonly version: number };

/** The session's past as its store tells it: the head, the log, and every record that the log names. */
export async function pastIn(store: SessionStore, sessionId: string): Promise<Stored> {
  const loaded = await store.load(sessionId);
  if (loaded === null) throw new Error(`${sessionId} is not there`);
  const log = await store.log(sessionId, { sequence: 0 }, Number.MAX_SAFE_INTEGER);
  const events = log.items.flatMap((commit) => commit.events);
  const [input, call, message, runs] = await Promise.all([
    store.inputs(
      sessionId,
      events.flatMap((e) => (e.type === "input.accepted" ? [e.inputId] : [])),
    ),
    store.calls(
      sessionId,
      events.flatMap((e) => (e.type === "tool.requested" ? [e.callId] : [])),
    ),
    store.messages(
      sessionId,
      events.flatMap((e) => (e.type === "message.completed" ? [e.messageId] : [])),
    ),
    store.listRuns(sessionId, 0, Number.MAX_SAFE_INTEGER),
  ]);
  const run = new Map(runs.items.map((ended) => [ended.id, ended]));
  return { ...loaded, events, records: { input, call, message, run } };
}

/** Commits commands one after the other, a second apart; gives the past with them. A refusal is a mistake in the test. */
export async function proceed(
  store: SessionStore,
  sessionId: string,
  ...steps: readonly Command[]
): Promise<Stored> {
  let past = await pastIn(store, sessionId);
  for (const step of steps) {
    const decision = step(past, next(past));
    if (!decision.accepted) throw new Error(`refused: ${decision.code}`);
    await store.commit(past.version, decision, []);
    past = { ...append(past, decision), version: past.version + 1 };
  }
  return past;
}

/** JSON text that is of this many bytes, the quotes included. */
export const textOf = (bytes: number, character = "x"): Json =>
  character.repeat(Math.floor((bytes - 2) / Buffer.byteLength(character)));
