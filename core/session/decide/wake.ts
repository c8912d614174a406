import type { Draft } from "../decision.ts";

/**
 * Consumes the task token of a parked run, so that it is released: after whatever gives the run something to do.
 * While the session is paused nothing does, neither a result nor an expiry: what ends the pause wakes the run. A
 * run that is not parked sees for itself.
 */
export function wake(change: Draft): void {
  const { run, status } = change.state();
  if (status === "paused" || run === null || run.parked === null) return;
  change.note({ type: "engine.woken" });
}
