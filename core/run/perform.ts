import type { Executions } from "../ports/executions.ts";
import type { Log } from "../ports/log.ts";
import type { Effect } from "../session/effects.ts";

/**
 * Does what a state asks for outside of the table. Doing it again is harmless. True when that shows that an
 * execution carries the run.
 */
export async function perform(executions: Executions, asked: readonly Effect[]): Promise<boolean> {
  let carried = false;
  for (const effect of asked) carried = (await performOne(executions, effect)) || carried;
  return carried;
}

async function performOne(executions: Executions, effect: Effect): Promise<boolean> {
  if (effect.kind === "start") return executions.start(effect);
  if (effect.kind === "wake") return executions.wake(effect.token);
  await executions.watch(effect);
  return false;
}

/** The same right after a commit, for speed: what fails here is done by the consumer of the table's stream. */
export async function performSoon(
  { executions, log }: { executions: Executions; log: Log },
  asked: readonly Effect[],
): Promise<void> {
  try {
    await perform(executions, asked);
  } catch (error) {
    log.warn("an effect is left to the stream consumer", {
      error: error instanceof Error ? error.name : "unknown",
    });
  }
}
