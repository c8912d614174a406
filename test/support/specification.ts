import { expect } from "vitest";
import type { Decision, Refusal } from "../../core/session/decision.ts";
import type { SessionEvent } from "../../core/session/events.ts";
import { fold } from "../../core/session/evolve.ts";
import type { SessionState } from "../../core/session/state.ts";
import { emptyRecords, type Records, withChanges } from "./records.ts";

/** What a session has been through: its log, the state that it folds to and its records. */
export type Past = {
  readonly events: readonly SessionEvent[];
  readonly state: SessionState;
  readonly records: Records;
};

/** Something asked of a session at a time (RFC 3339 UTC). */
export type Command = (past: Past, at: string) => Decision | Refusal;

/** An expected event: its type, and whichever of its fields matter. */
export type ExpectedEvent =
  | SessionEvent["type"]
  | ({ readonly type: SessionEvent["type"] } & Readonly<Record<string, unknown>>);

/** The time of a specification: so many seconds after its sessions were created. */
export const moment = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();

/** A past from a log alone, as `evolve` reads it back; such a past has no records. */
export function pastOf(events: readonly SessionEvent[]): Past {
  const state = fold(events);
  if (state === null) throw new Error("a past begins with session.created");
  return { events, state, records: emptyRecords };
}

/** The past with one more decision in it. */
export function append(past: Past, decision: Decision): Past {
  return {
    events: [...past.events, ...decision.events],
    state: decision.state,
    records: withChanges(past.records, decision.changes),
  };
}

/** A second after the last event that clients have seen. */
export const next = ({ state }: Past): string => new Date(Date.parse(state.updatedAt) + 1_000).toISOString();

/** A beginning and what followed, a second apart. A step that is refused is a mistake in the test. */
export function story(beginning: Past, ...steps: readonly Command[]): Past {
  return steps.reduce((past, step, index) => {
    const decision = step(past, next(past));
    if (!decision.accepted) throw new Error(`step ${index + 1} was refused: ${decision.code}`);
    return append(past, decision);
  }, beginning);
}

/** The same command at a time of its own. */
export const at =
  (seconds: number, command: Command): Command =>
  (past) =>
    command(past, moment(seconds));

/** Given what happened, when a command comes, then these events follow, or it is refused. */
export function given(beginning: Past | readonly SessionEvent[], ...steps: readonly Command[]) {
  const past = story("state" in beginning ? beginning : pastOf(beginning), ...steps);
  return { when: (command: Command) => outcome(past, command(past, next(past))) };
}

function outcome(past: Past, decision: Decision | Refusal) {
  return {
    /** The decision's events, all of them and in order; gives the past with them. */
    then(...expected: readonly ExpectedEvent[]): Past {
      const accepted = acceptedOf(decision);
      expectEvents(accepted.events, ...expected);
      const future = append(past, accepted);
      expect(fold(future.events), "the log folds to the decision's state").toEqual(future.state);
      return future;
    },
    /** Accepted, with nothing to write. */
    thenNothing(): void {
      const { events, changes, state } = acceptedOf(decision);
      expect({ events, changes }).toEqual({ events: [], changes: [] });
      expect(state).toEqual(past.state);
    },
    thenRefused(code: Refusal["code"]): void {
      expect(decision.accepted ? decision.events.map(({ type }) => type) : decision.code).toBe(code);
    },
  };
}

function acceptedOf(decision: Decision | Refusal): Decision {
  if (!decision.accepted) throw new Error(`refused with ${decision.code}: ${decision.message}`);
  return decision;
}

/** Compares a list of events with what is expected of each. */
export function expectEvents(events: readonly SessionEvent[], ...expected: readonly ExpectedEvent[]): void {
  const typeOf = (event: ExpectedEvent) => (typeof event === "string" ? event : event.type);
  expect(events.map(({ type }) => type)).toEqual(expected.map(typeOf));
  for (const [index, event] of expected.entries()) {
    if (typeof event !== "string") expect(events[index]).toMatchObject(event);
  }
}
