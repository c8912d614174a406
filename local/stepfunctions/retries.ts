import type { Catcher, Retrier } from "./definition.ts";
import type { StateFailure } from "./errors.ts";

/** Errors that AWS lets no wildcard match; only their own name does. */
const terminal = new Set(["States.DataLimitExceeded", "States.Runtime"]);

/** Whether a Retry or Catch rule with these names applies to a failure. */
export function matches(errorEquals: readonly string[], failure: StateFailure): boolean {
  const names = [failure.error, ...failure.aliases];
  return errorEquals.some((wanted) => {
    if (names.includes(wanted)) return true;
    if (terminal.has(failure.error)) return false;
    if (wanted === "States.ALL") return true;
    return wanted === "States.TaskFailed" && failure.error !== "States.Timeout";
  });
}

/** The first retrier that applies and has attempts left, with its wait in milliseconds. */
export function nextRetry(
  retriers: readonly Retrier[],
  made: readonly number[],
  failure: StateFailure,
): { readonly index: number; readonly delay: number } | undefined {
  const index = retriers.findIndex((retrier) => matches(retrier.ErrorEquals, failure));
  const retrier = retriers[index];
  const attempts = made[index] ?? 0;
  if (!retrier || attempts >= retrier.MaxAttempts) return undefined;
  return { index, delay: delayOf(retrier, attempts) };
}

/** The first catcher that applies. */
export function nextCatch(
  catchers: readonly Catcher[],
  failure: StateFailure,
): { readonly index: number; readonly catcher: Catcher } | undefined {
  const index = catchers.findIndex((catcher) => matches(catcher.ErrorEquals, failure));
  const catcher = catchers[index];
  return catcher && { index, catcher };
}

function delayOf(retrier: Retrier, attempts: number): number {
  const seconds = Math.min(
    retrier.IntervalSeconds * retrier.BackoffRate ** attempts,
    retrier.MaxDelaySeconds ?? Number.MAX_SAFE_INTEGER / 1000,
  );
  const jitter = retrier.JitterStrategy === "FULL" ? Math.random() : 1;
  return Math.round(seconds * 1000 * jitter);
}
