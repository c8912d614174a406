import { nearestDeadline } from "./deadlines.ts";
import type { ActiveRun, SessionState } from "./state.ts";

/**
 * What a look of the sweep may find. `soon`: something that should have happened by then. `rest`: only that all is
 * as it should be, so that such looks wait while there are others.
 */
export const lanes = ["soon", "rest"] as const;
export type Lane = (typeof lanes)[number];

/** A look of the sweep at a session: when, and in which lane it waits for its turn. */
export type Look = { readonly at: string; readonly lane: Lane };

const FIRST_AFTER_MS = 60_000;
/**
 * Between two looks. A turn takes fifteen minutes at most. The execution of a run that rests comes round by itself
 * once a day: 100,000 of them are 70 looks a minute.
 */
const LONGEST_MS: Readonly<Record<Lane, number>> = { soon: 15 * 60_000, rest: 24 * 60 * 60_000 };
const GRAIN_MS = 60_000;
const DEADLINE_GRACE_MS = 5_000;

/**
 * When the sweep has to look at the session next, or null: soon after a deadline, a minute after the run started, and
 * as long as nothing happens after 1, 2, 4, 8 … minutes. In whole minutes, so that the index is seldom written.
 */
export function nextLook(state: SessionState, now: number): Look | null {
  const run = state.run;
  if (run === null) return null;
  const deadline = nearestDeadline(run);
  const overdue = deadline === null ? null : deadline + DEADLINE_GRACE_MS;
  // Whoever waits for the deadline, and for nothing else, is well until then.
  if (run.status === "interrupted" || (run.parked !== null && overdue !== null)) {
    return overdue === null ? null : { lane: "soon", at: iso(overdue) };
  }
  const lane = run.parked === null ? "soon" : "rest";
  const at = spaced(run, Date.parse(state.updatedAt), now, LONGEST_MS[lane]);
  return { lane, at: iso(Math.min(at, overdue ?? at)) };
}

function spaced(run: ActiveRun, since: number, now: number, longest: number): number {
  const first = Date.parse(run.startedAt) + FIRST_AFTER_MS;
  if (now < first) return first;
  let at = since + FIRST_AFTER_MS;
  while (at <= now) at += Math.min(at - since, longest);
  return Math.ceil(at / GRAIN_MS) * GRAIN_MS;
}

const iso = (ms: number): string => new Date(ms).toISOString();
