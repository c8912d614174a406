import { timestamp } from "../ports/clock.ts";
import { expireCalls } from "../session/decide/calls.ts";
import { continueRun } from "../session/decide/engine.ts";
import { effects } from "../session/effects.ts";
import { askModel } from "./ask-model.ts";
import { type Context, commit, done, freeRun, open, refresh } from "./context.ts";
import { isHeld, Stopped, settleControls } from "./controls.ts";
import { performSoon } from "./perform.ts";
import type { EnginePorts, Outcome, Task } from "./ports.ts";
import { runScript } from "./run-script.ts";
import { watchDeadlines } from "./wait.ts";

/**
 * A model request may take ten minutes and a half; one is not begun when less is left of the function's
 * fifteen, and the state machine calls again.
 */
const LEAVE_BELOW_MS = 630_000;

/** A cycle of the state machine is about 13 events of the 25,000 that an execution may have. */
const CYCLES_PER_LEG = 1_500;

/**
 * The turn engine: carries a run on until it ends, waits, or the function's time is nearly up. Every step is
 * a commit on the session, so whatever is killed, the next `Advance` goes on from the last of them.
 */
export async function advance(
  ports: EnginePorts,
  task: Task,
  budget: { readonly remainingMs: () => number; readonly signal: AbortSignal },
): Promise<Outcome> {
  const context = await open(ports, task, budget.signal);
  if (context === null) return watchDeadlines(ports, task);
  if (task.cycle >= CYCLES_PER_LEG && !isHeld(context)) return continueInNextLeg(context);
  await expireOverdue(context);
  for (;;) {
    const outcome = (await settleControls(context)) ?? (await step(context));
    if (outcome?.next === "done" && isHeld(context)) continue;
    // Somebody else was heard for the same work: whoever that is, the run is carried on.
    if (outcome?.next === "done" && freeRun(context.state, context.task) !== null)
      return { next: "continue" };
    if (outcome !== null) return outcome;
    if (budget.remainingMs() < LEAVE_BELOW_MS) return { next: "continue" };
  }
}

/** One piece of work, between two boundaries. */
async function step(context: Context): Promise<Outcome | null> {
  const run = freeRun(context.state, context.task);
  if (run === null) return done;
  try {
    return await (run.turn.at === "script" ? runScript(context, run, run.turn) : askModel(context));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    await refresh(context);
    return null;
  }
}

async function expireOverdue(context: Context): Promise<void> {
  const now = timestamp(context.ports.clock);
  const overdue = context.state.run?.calls.some(({ deadlineAt }) => deadlineAt !== null && deadlineAt <= now);
  if (overdue === true) await commit(context, expireCalls);
}

/** The commit makes the next leg the run's; its execution is started at once, or by the stream's consumer. */
async function continueInNextLeg(context: Context): Promise<Outcome> {
  const { task, ports } = context;
  await commit(context, (state, at) => continueRun(state, task.runId, task.leg + 1, at));
  await performSoon(ports, effects(context.state));
  return done;
}
