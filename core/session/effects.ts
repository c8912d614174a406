import { nearestDeadline } from "./deadlines.ts";
import type { SessionState } from "./state.ts";

/** Something outside the table that a state asks for. Every one may be done any number of times. */
export type Effect =
  | { readonly kind: "start"; readonly sessionId: string; readonly runId: string; readonly leg: number }
  | { readonly kind: "wake"; readonly token: string }
  /** Somebody who expires the calls of an interrupted run, as no execution carries it. */
  | { readonly kind: "watch"; readonly sessionId: string; readonly runId: string; readonly leg: number };

/**
 * What has to happen outside for this state: the committer does it at once, the stream consumer and the
 * sweep do it again if it is still asked for. The state is the outbox, so the two cannot disagree.
 */
export function effects(state: SessionState): Effect[] {
  const run = state.run;
  if (run === null) return [];
  const named = { sessionId: state.id, runId: run.id, leg: run.leg };
  if (run.status === "interrupted") return nearestDeadline(run) === null ? [] : [{ kind: "watch", ...named }];
  if (!run.begun) return [{ kind: "start", ...named }];
  return run.waking === null ? [] : [{ kind: "wake", token: run.waking }];
}
