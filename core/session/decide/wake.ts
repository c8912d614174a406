import type { Draft } from "../decision.ts";

/** Consumes the task token of a parked run, so that it is released; a run that is not parked sees for itself. */
export function wake(change: Draft): void {
  const run = change.state().run;
  if (run !== null && run.parked !== null) change.note({ type: "engine.woken" });
}
