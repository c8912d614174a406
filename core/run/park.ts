import type { Clock } from "../ports/clock.ts";
import { timestamp } from "../ports/clock.ts";
import type { Executions } from "../ports/executions.ts";
import type { SessionStore } from "../ports/store.ts";
import { park } from "../session/decide/engine.ts";
import { loseExecution } from "../session/decide/runs.ts";
import { handle } from "../session/handle.ts";

type Ports = { readonly store: SessionStore; readonly clock: Clock; readonly executions: Executions };

/**
 * Leaves the task token with the run. Where something happened since `Advance` looked, the token is released
 * at once, so that a result that came in between is not slept through.
 */
export async function parkRun(
  ports: Ports,
  wait: { sessionId: string; runId: string; leg: number; seen: number; token: string },
): Promise<"parked" | "released"> {
  const handled = await handle(ports, wait.sessionId, ({ state }) =>
    park(state, { ...wait, at: timestamp(ports.clock) }),
  );
  if (handled.outcome === "committed") return "parked";
  await ports.executions.wake(wait.token);
  return "released";
}

/** Marks a run whose execution is gone. The end of an execution that no longer matters changes nothing. */
export async function loseRun(
  ports: Pick<Ports, "store" | "clock">,
  lost: { sessionId: string; runId: string; leg: number },
): Promise<"interrupted" | "unaffected"> {
  const handled = await handle(ports, lost.sessionId, ({ state }) =>
    loseExecution(state, lost.runId, lost.leg, timestamp(ports.clock)),
  );
  return handled.outcome === "committed" ? "interrupted" : "unaffected";
}
