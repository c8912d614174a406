/** A few of the plays, with every kind of step and message; `npm run test:crash` tries all of them. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { playDouble, playKill, playLoss } from "./play.ts";
import type { Manner, When } from "./points.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { type Prepared, prepare } from "./stack.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
}, 60_000);
afterAll(() => prepared?.close());

function named(name: string): Scenario {
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return scenario;
}

const kills: readonly (readonly [scenario: string, When, step: string, nth: number])[] = [
  ["text", "before", "PutItem KEY", 2],
  ["text", "after", "invoke api sessions", 1],
  ["text", "before", "StartExecution", 1],
  ["text", "before", "invoke fanout", 1],
  ["text", "after", "invoke advance", 1],
  ["calls", "before", "invoke await", 1],
  ["calls", "before", "SendTaskSuccess", 1],
  ["calls-anthropic", "before", "ask model", 2],
  ["unawaited", "before", "commit tool.requested+session.updated", 1],
  ["unawaited", "after", "commit tool.requested+session.updated", 1],
  ["queue", "before", "put transcript", 1],
  ["pause", "after", "invoke api pause", 1],
  ["stop", "before", "commit input.cancelled+run.stopped+session.updated", 1],
  ["archive", "after", "commit input.cancelled+session.archived", 1],
];

it.each(kills)(
  "%s, killed %s %s %d: nothing is lost or done twice, and nobody waits for ever",
  async (name, when, step, nth) => {
    const { killed } = await playKill(prepared, named(name), { step, nth, when });
    expect(killed).toBe(true);
  },
  60_000,
);

const doubles: readonly (readonly [scenario: string, step: string, Manner])[] = [
  ["text", "StartExecution", "at once"],
  ["calls", "SendTaskSuccess", "at once"],
  ["calls-anthropic", "invoke await", "at once"],
  ["unawaited", "invoke advance", "at once"],
  ["queue", "invoke fanout", "at once"],
  ["queue", "invoke advance", "at once"],
  ["stop", "invoke advance", "after another"],
];

it.each(doubles)(
  "%s, with every %s twice, %s: it has one effect",
  async (name, step, manner) => {
    const { interrupted } = await playDouble(prepared, named(name), { step, manner });
    expect(interrupted).toBe(false);
  },
  60_000,
);

it("a run that is lost is told to be so once, though its loss is reported twice", async () => {
  const double = { step: "invoke lost", manner: "at once" } as const;
  const { interrupted } = await playLoss(prepared, named("text"), double);
  expect(interrupted).toBe(true);
}, 60_000);
