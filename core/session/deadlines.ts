import type { ActiveRun } from "./state.ts";

/** When the first of the run's open calls expires, in epoch milliseconds; null where none can. */
export function nearestDeadline({ calls }: ActiveRun): number | null {
  const deadlines = calls.flatMap(({ deadlineAt }) => (deadlineAt === null ? [] : [Date.parse(deadlineAt)]));
  return deadlines.length === 0 ? null : Math.min(...deadlines);
}
