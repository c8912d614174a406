/** A few points of each scenario; `npm run test:crash` tries all of them. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { playOnce } from "./play.ts";
import type { When } from "./points.ts";
import { scenarios } from "./scenarios.ts";
import { type Prepared, prepare } from "./stack.ts";

let prepared: Prepared;
beforeAll(async () => {
  prepared = await prepare();
}, 60_000);
afterAll(() => prepared?.close());

const commit = "DynamoDB TransactWriteItems";
const points: readonly (readonly [scenario: string, When, call: string, nth: number])[] = [
  ["text", "after", "DynamoDB PutItem", 1],
  ["text", "before", "States StartExecution", 1],
  ["text", "after", "model request", 1],
  ["text", "before", commit, 3],
  ["calls", "after", commit, 4],
  ["calls", "before", "States SendTaskSuccess", 1],
  ["calls-anthropic", "before", commit, 5],
  ["calls-anthropic", "before", "model request", 2],
  ["queue", "after", "S3 PUT", 1],
  ["queue", "after", commit, 8],
  ["pause", "after", "States SendTaskSuccess", 1],
  ["pause", "before", commit, 7],
  ["stop", "before", "States SendTaskSuccess", 1],
  ["stop", "after", commit, 8],
  ["archive", "before", commit, 5],
  ["archive", "after", commit, 7],
];

it.each(points)(
  "%s, killed %s %s %d: nothing is lost or done twice, and nobody waits for ever",
  async (name, when, call, nth) => {
    const scenario = scenarios.find((one) => one.name === name);
    if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
    const { killed } = await playOnce(prepared, scenario, { call, nth, when });
    expect(killed).toBe(true);
  },
  60_000,
);
