import type { Context } from "./context.ts";
import type { Outcome } from "./ports.ts";

/** A run that waits for a client and nothing else is looked at this often. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

/**
 * Leaves until the nearest deadline of an open call, or the time given, or until something happens after
 * `seen`.
 */
export function wait(context: Context, seen: number, notBefore?: string): Outcome {
  const now = context.ports.clock.now();
  const deadlines = (context.state.run?.calls ?? []).flatMap(({ deadlineAt }) => deadlineAt ?? []);
  const times = [...deadlines, ...(notBefore === undefined ? [] : [notBefore])].map((time) =>
    Date.parse(time),
  );
  const until = Math.min(now + LONGEST_WAIT_MS, ...times);
  return { next: "wait", seconds: Math.max(1, Math.ceil((until - now) / 1_000)), seen };
}
