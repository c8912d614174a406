import middy from "@middy/core";
import * as z from "zod";
import { sweep } from "../core/run/reconcile.ts";
import { reportFailure } from "./failure.ts";
import { createWorld, once } from "./wiring.ts";

const world = once(createWorld);

/** `all` looks at every session with an active run, as a host does when it comes up. */
const Event = z.object({ all: z.boolean().optional() });
const END_OF_TIME = "9999-12-31T23:59:59.999Z";

/** Runs on a schedule: what should have happened by now and did not. */
export const handler = middy(async (input: unknown): Promise<{ looked: number; failed: number }> => {
  const { all } = Event.parse(input);
  const { store, clock, log } = world();
  const ports = { store, clock, log, executions: world().executions() };
  const result = await sweep(ports, ...(all === true ? [END_OF_TIME] : []));
  if (result.looked > 0) log.info("sweep", result);
  if (result.failed > 0) throw new Error(`the sweep failed on ${result.failed} of ${result.looked} sessions`);
  return result;
}).use(reportFailure(() => world().log));
