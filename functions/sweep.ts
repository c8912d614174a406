import middy from "@middy/core";
import type { Context } from "aws-lambda";
import * as z from "zod";
import { timestamp } from "../core/ports/clock.ts";
import { type Swept, sweep } from "../core/run/sweep.ts";
import { reportFailure } from "./failure.ts";
import { createWorld, once } from "./wiring.ts";

const world = once(createWorld);

/** `all` looks at every session with an active run, as a host does when it comes up. */
const Event = z.object({ all: z.boolean().optional() });
const END_OF_TIME = "9999-12-31T23:59:59.999Z";

/**
 * A look that was begun has this long to end: erasing 5,000 items and objects takes a third of it. Of a function's
 * 55 s the round has 40.
 */
const LAST_LOOK_MS = 15_000;

/**
 * Each look at a session that only waits describes its execution. Step Functions lets an account do that 250 times
 * at once and 10 times a second, or somewhat more by region: this many in a round a minute, and a third is left.
 */
const MOST_AT_REST = 400;

/** Runs on a schedule: what should have happened by now and did not. */
export const handler = middy(async (input: unknown, context: Context): Promise<Swept> => {
  const { all } = Event.parse(input);
  const { store, clock, log } = world();
  const ports = { store, clock, log, executions: world().executions() };
  const result = await sweep(ports, {
    before: all === true ? END_OF_TIME : timestamp(clock),
    hasTime: () => context.getRemainingTimeInMillis() > LAST_LOOK_MS,
    most: { soon: Number.POSITIVE_INFINITY, rest: all === true ? Number.POSITIVE_INFINITY : MOST_AT_REST },
  });
  if (result.looked > 0) log.info("sweep", result);
  if (result.failed > 0) throw new Error(`the sweep failed on ${result.failed} of ${result.looked} sessions`);
  return result;
}).use(reportFailure(() => world().log));
