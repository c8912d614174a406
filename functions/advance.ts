import middy from "@middy/core";
import type { Context } from "aws-lambda";
import * as z from "zod";
import { createModel } from "../adapters/models/choice.ts";
import { createSchemas } from "../adapters/schemas/schemas.ts";
import { createScriptRuntime } from "../adapters/script/runtime.ts";
import { keyContext } from "../core/api/model-keys.ts";
import { advance } from "../core/run/advance.ts";
import type { EnginePorts, ModelKeys, Outcome } from "../core/run/ports.ts";
import { reportFailure } from "./failure.ts";
import { wakeups } from "./host.ts";
import { createWorld, once, type World } from "./wiring.ts";

const Event = z.object({
  sessionId: z.string(),
  runId: z.string(),
  leg: z.int().positive(),
  cycle: z.int().nonnegative(),
  stateMachineArn: z.string(),
});
type Event = z.infer<typeof Event>;

const world = once(createWorld);
const scripts = once(() => createScriptRuntime());
const schemas = once(() => createSchemas({ eager: true }));
const model = once(() => {
  const { openaiBaseUrl, anthropicBaseUrl } = world().settings;
  return createModel({ openaiBaseUrl, anthropicBaseUrl });
});
const vault = once(() => world().vault());

/** Everything in flight is given up this long before the function is killed, so that the loss is an error and not a silence. */
const ABORT_BEFORE_END_MS = 10_000;

/** One turn of the state machine: carries the run on and says how to go on after it. */
export const handler = middy(async (input: unknown, context: Context): Promise<Event & Outcome> => {
  const event = Event.parse(input);
  const started = performance.now();
  const remainingMs = () => context.getRemainingTimeInMillis();
  const signal = AbortSignal.timeout(Math.max(0, remainingMs() - ABORT_BEFORE_END_MS));
  const outcome = await advance(ports(world(), event), event, { remainingMs, signal });
  world().log.info("advance", {
    runId: event.runId,
    leg: event.leg,
    cycle: event.cycle,
    next: outcome.next,
    ms: Math.round(performance.now() - started),
  });
  return { ...event, cycle: event.cycle + 1, ...outcome };
}).use(reportFailure(() => world().log));

function ports(at: World, event: Event): EnginePorts {
  const { store, blobs, clock, log, previews, settings } = at;
  const { toolResultSeconds, scriptCpuMs } = settings;
  return {
    store,
    blobs,
    clock,
    log,
    previews,
    wakeups,
    executions: at.executions(event.stateMachineArn),
    model: model(),
    modelKeys: modelKeys(at),
    scripts: scripts(),
    schemas: schemas(),
    settings: { toolResultSeconds, scriptCpuMs },
  };
}

function modelKeys(at: World): ModelKeys {
  return {
    secret: async (projectId, keyId) => {
      const key = await at.catalog.modelKey(projectId, keyId);
      return key && vault().open(key.sealed, keyContext(projectId, keyId));
    },
  };
}
