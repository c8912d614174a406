import middy from "@middy/core";
import * as z from "zod";
import { loseRun } from "../core/run/park.ts";
import { reportFailure } from "./failure.ts";
import { createWorld, once } from "./wiring.ts";

const Lost = z.object({ sessionId: z.string(), runId: z.string(), leg: z.int().positive() });

/** The state machine's own event, or EventBridge's for an execution that failed, timed out or was aborted. */
const Event = z.union([
  Lost,
  z
    .object({ source: z.literal("aws.states"), detail: z.object({ input: z.string() }) })
    .transform((event, context) => {
      const parsed = Lost.safeParse(JSON.parse(event.detail.input));
      if (parsed.success) return parsed.data;
      context.addIssue("the execution's input has no run");
      return z.NEVER;
    }),
]);

const world = once(createWorld);

/** Marks a run whose execution is gone as interrupted. Any number of events for one loss have one effect. */
export const handler = middy(async (input: unknown): Promise<{ outcome: string }> => {
  const lost = Event.parse(input);
  const { store, clock, log } = world();
  const outcome = await loseRun({ store, clock }, lost);
  log.warn("lost", { runId: lost.runId, leg: lost.leg, outcome });
  return { outcome };
}).use(reportFailure(() => world().log));
