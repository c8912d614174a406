/**
 * Logs as this and every earlier version wrote them, with the state that they led to. A session's log is kept
 * as long as the session, so `evolve` has to read them for ever. When this goes red, make `evolve` and the
 * schemas read the old events again. Never edit a recorded file. Events of a new kind or form get a file of
 * their own: the log and the state of a `Past` from `test/support/specification.ts`, written once.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { SessionEvent } from "../../core/session/events.ts";
import { fold } from "../../core/session/evolve.ts";
import { SessionState } from "../../core/session/state.ts";

const folder = new URL("./histories/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
/** The state is compared as it was recorded: a schema that filled a field in would hide a change of `evolve`. */
const Recorded = z.object({ events: z.array(z.unknown()), state: z.unknown() });
const read = (name: string) => Recorded.parse(JSON.parse(readFileSync(new URL(name, folder), "utf8")));

test.each(files)("reads %s", (name) => {
  const { events, state } = read(name);
  const parsed = events.map((event) => SessionEvent.parse(event));
  expect(parsed).toEqual(events);
  expect(fold(parsed)).toEqual(state);
  expect(SessionState.parse(state)).toEqual(state);
});

test("every event that a command can lead to has been recorded", () => {
  const recorded = new Set(files.flatMap((name) => read(name).events.map((e) => SessionEvent.parse(e).type)));
  const missing = SessionEvent.options.map((o) => o.shape.type.value).filter((type) => !recorded.has(type));
  expect(missing).toEqual([]);
});
