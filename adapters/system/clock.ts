import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/ports/clock.ts";

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal });
  },
  random: () => Math.random(),
};
