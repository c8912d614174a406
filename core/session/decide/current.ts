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

export const isRefusal = (value: object): value is Refusal => "accepted" in value && value.accepted === false;
