import { timestamp } from "../ports/clock.ts";
import { nearestDeadline } from "../session/deadlines.ts";
import { expireCalls } from "../session/decide/calls.ts";
import { refuse } from "../session/decision.ts";
import { handle } from "../session/handle.ts";
import type { SessionState } from "../session/state.ts";
import type { Context } from "./context.ts";
import type { EnginePorts, Outcome, Task } from "./ports.ts";

/** A run that waits for a client and nothing else is looked at this often. */
const LONGEST_WAIT_MS = 24 * 60 * 60_000;

/**
 * Leaves until the nearest deadline of an open call, or the time given, or until something happens after
 * `seen`.
 */
export function wait(context: Context, seen: number, notBefore?: string): Outcome {
  const now = context.ports.clock.now();
  const deadline = context.state.run && nearestDeadline(context.state.run);
  const until = Math.min(
    now + LONGEST_WAIT_MS,
    deadline ?? Number.POSITIVE_INFINITY,
    notBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(notBefore),
  );
  return { next: "wait", seconds: secondsUntil(until, now), seen };
}

/** The engine counts whole seconds: the next of them, so that the time has come when they are over. */
const secondsUntil = (until: number, now: number): number => Math.max(1, Math.ceil((until - now) / 1_000));

/**
 * What is left to do for an interrupted run: its calls expire as their deadlines come, and nobody has to look.
 * Ends with the last of them, or with the run.
 */
export async function watchDeadlines(
  ports: Pick<EnginePorts, "store" | "clock">,
  { sessionId, runId }: Task,
): Promise<Outcome> {
  const handled = await handle(ports, sessionId, ({ state }) =>
    isInterrupted(state, runId)
      ? expireCalls(state, timestamp(ports.clock))
      : refuse("stale", `run ${runId} is not interrupted`),
  );
  const run =
    handled.outcome === "missing" || handled.outcome === "refused" ? null : handled.decision.state.run;
  const deadline = run && nearestDeadline(run);
  if (deadline === null) return { next: "done" };
  return { next: "rest", seconds: secondsUntil(deadline, ports.clock.now()) };
}

const isInterrupted = ({ run }: SessionState, runId: string): boolean =>
  run?.id === runId && run.status === "interrupted";
