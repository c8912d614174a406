import middy from "@middy/core";
import * as z from "zod";
import { parkRun } from "../core/run/park.ts";
import { reportFailure } from "./failure.ts";
import { createWorld, once } from "./wiring.ts";

const Event = z.object({
  sessionId: z.string(),
  runId: z.string(),
  leg: z.int().positive(),
  seen: z.int().nonnegative(),
  token: z.string().min(1),
});

const world = once(createWorld);

/** Leaves the state machine's task token with the run, or releases it where there is nothing to wait for. */
export const handler = middy(async (input: unknown): Promise<void> => {
  const wait = Event.parse(input);
  const { store, clock, log } = world();
  const outcome = await parkRun({ store, clock, executions: world().executions() }, wait);
  log.info("await", { runId: wait.runId, outcome });
}).use(reportFailure(() => world().log));
