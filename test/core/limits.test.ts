import { expect, test } from "vitest";
import { limits } from "../../core/session/state.ts";
import { apply, created, fail, lose, queue, steer, waiting } from "../support/commands.ts";
import { type Command, given, story } from "../support/specification.ts";

const times = (count: number, command: Command): Command[] => Array.from({ length: count }, () => command);
/** Actions of one DynamoDB transaction. */
const LARGEST_TRANSACTION = 100;
/** The head, and the commit's place in the log. */
const OWN_ITEMS = 2;

test("a session holds so many queued inputs and no more", () => {
  const full = story(created("queue"), ...times(limits.queuedInputs, queue()));
  given(full).when(queue()).thenRefused("rate_limited");
  given(full).when(steer()).then("input.accepted");
});

test("a paused session holds as many", () => {
  const full = story(created("queue"), apply(), fail(), ...times(limits.queuedInputs, queue()));
  given(full).when(queue()).thenRefused("rate_limited");
});

test("a run binds so many inputs at once, its first among them", () => {
  const full = story(created("queue"), ...times(limits.boundInputs - 1, steer()));
  given(full).when(steer()).thenRefused("rate_limited");
  given(full, apply()).when(steer()).then("input.accepted");
});

test("a run applies so many inputs in all", () => {
  const rounds = Array.from({ length: limits.appliedInputs / limits.boundInputs }, () => [
    ...times(limits.boundInputs, steer()),
    apply(),
  ]).flat();
  const full = story(created("queue"), apply(), ...rounds);
  given(full).when(steer()).thenRefused("rate_limited");
  given(full).when(queue()).then("input.accepted", "session.updated");
});

test("the fullest run can fail, and be lost, in one transaction", () => {
  const full = story(
    created("queue"),
    ...waiting(limits.openCalls),
    ...times(limits.boundInputs, steer()),
    ...times(limits.queuedInputs, queue()),
  );
  const failed = fail()(full, full.state.updatedAt);
  const lost = lose()(full, full.state.updatedAt);
  if (!failed.accepted || !lost.accepted) throw new Error("neither is refused");
  expect(failed.changes.length + OWN_ITEMS).toBeLessThanOrEqual(LARGEST_TRANSACTION);
  expect(lost.changes).toEqual([]);
});
