import { type Refusal, refuse } from "../decision.ts";
import type { ActiveRun, SessionState } from "../state.ts";

/** The active run, where it is this one and its execution may still act for it. */
export function currentRun(state: SessionState, runId: string): ActiveRun | Refusal {
  const run = state.run;
  if (run === null || run.id !== runId) return refuse("stale", `run ${runId} is not active`);
  if (run.status === "interrupted") return refuse("stale", `run ${runId} is interrupted`);
  if (run.status === "stopping") return refuse("stale", `run ${runId} is stopping`);
  return run;
}

/**
 * Where the engine stands in a run: what it has applied, had answered, compacted, repaired and dispatched. All that the engine
 * commits is made at one place and stale at any other: of two functions that do the same work one is heard.
 */
export function placeOf({ id, answers, appliedInputIds, turn }: ActiveRun): string {
  const within = turn.at === "model" ? [turn.compactions ?? 0, turn.repairs ?? 0] : [turn.index, turn.calls];
  return [id, answers, appliedInputIds.length, turn.at, ...within].join("/");
}

/** The active run, where it still stands at this place and its execution may act for it. */
export function runAt(state: SessionState, place: string): ActiveRun | Refusal {
  const run = state.run;
  if (run === null || placeOf(run) !== place) return refuse("stale", `the run is no longer at ${place}`);
  return currentRun(state, run.id);
}

export const isRefusal = (value: object): value is Refusal => "accepted" in value && value.accepted === false;
