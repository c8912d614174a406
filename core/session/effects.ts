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

const SWEEP_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 15 * 60_000;
const DEADLINE_GRACE_MS = 5_000;

/**
 * When the sweep has to look at the session, or null. An open deadline: soon after it. Otherwise a minute
 * after the run started, or its stop was accepted, and then every fifteen: a time that does not move with
 * every commit, so that the index is seldom written.
 */
export function dueAt(state: SessionState, now: number): string | null {
  const run = state.run;
  if (run === null) return null;
  const deadline = nearestDeadline(run);
  if (deadline !== null) return iso(deadline + DEADLINE_GRACE_MS);
  if (run.status === "interrupted") return null;
  // A stop is settled within seconds; one that lingers is looked at soon.
  const since = run.status === "stopping" ? state.updatedAt : run.startedAt;
  const first = Date.parse(since) + SWEEP_AFTER_MS;
  const periods = Math.max(0, Math.ceil((now - first) / SWEEP_EVERY_MS));
  return iso(first + periods * SWEEP_EVERY_MS);
}

const iso = (ms: number): string => new Date(ms).toISOString();
