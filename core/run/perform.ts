import type { Executions } from "../ports/executions.ts";
import type { Log } from "../ports/log.ts";
import type { Effect } from "../session/effects.ts";

/** Does what a state asks for outside of the table. Doing it again is harmless. */
export async function perform(executions: Executions, asked: readonly Effect[]): Promise<void> {
  for (const effect of asked) {
    if (effect.kind === "wake") await executions.wake(effect.token);
    else await executions[effect.kind](effect);
  }
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
