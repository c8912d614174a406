import { timestamp } from "../ports/clock.ts";
import { nearestDeadline } from "../session/deadlines.ts";
import { expireCalls } from "../session/decide/calls.ts";
import { settlePause, settleStop } from "../session/decide/controls.ts";
import { handle } from "../session/handle.ts";
import type { ActiveRun } from "../session/state.ts";
import { type Context, commit, done, freeRun, ownRun } from "./context.ts";
import type { EnginePorts, Outcome, Task } from "./ports.ts";
import { wait } from "./wait.ts";

/** Whether a stop or a pause holds the run. */
export const isHeld = ({ state, task }: Context): boolean =>
  ownRun(state, task) !== null && freeRun(state, task) === null;

/** At a boundary: settles the stop or the pause that holds the run. Null when the run may go on. */
export async function settleControls(context: Context): Promise<Outcome | null> {
  const { runId } = context.task;
  while (isHeld(context)) {
    if (context.state.run?.status === "stopping") {
      await commit(context, (state, at) => settleStop(state, runId, at));
    } else if (context.state.status === "pausing") {
      await commit(context, (state, at) => settlePause(state, runId, at));
    } else {
      return wait(context, context.state.sequence);
    }
  }
  return freeRun(context.state, context.task) === null ? done : null;
}

/**
 * A script may leave a call behind that nobody waits for: its deadline holds all the same. What is under way takes
 * this up as it does what clients commit meanwhile. Failing says nothing: the next look is a second away.
 */
async function expireOverdue({ store, clock }: EnginePorts, task: Task, run: ActiveRun): Promise<void> {
  const deadline = nearestDeadline(run);
  if (deadline === null || deadline > clock.now()) return;
  await handle({ store, clock }, task.sessionId, ({ state }) => expireCalls(state, timestamp(clock))).catch(
    () => undefined,
  );
}

/** How often the session is read for a stop while the model or a script works. */
const LOOK_MS = 1_000;

/** What was under way was given up: the run is no longer to be worked on. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/**
 * Works on the run until that is done. When the run is not to be worked on any more, what is under way is
 * aborted and `Stopped` is thrown. For what takes time and commits nothing.
 */
export async function unlessStopped<T>(
  context: Context,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopped = new AbortController();
  const ended = new AbortController();
  const watching = watch(context, stopped, ended.signal);
  try {
    return await work(AbortSignal.any([context.signal, stopped.signal]));
  } catch (error) {
    throw stopped.signal.aborted ? new Stopped("the run was stopped", { cause: error }) : error;
  } finally {
    ended.abort();
    await watching;
  }
}

async function watch({ ports, task }: Context, stopped: AbortController, ended: AbortSignal): Promise<void> {
  const subscription = ports.wakeups.subscribe(task.sessionId);
  try {
    for (;;) {
      await subscription.wait(LOOK_MS, ended);
      if (ended.aborted) return;
      // A read that fails says nothing: the next one is a second away.
      const loaded = await ports.store.load(task.sessionId).catch(() => null);
      const run = loaded && ownRun(loaded.state, task);
      if (loaded !== null && (run === null || run.status === "stopping")) return stopped.abort();
      if (run !== null) await expireOverdue(ports, task, run);
    }
  } finally {
    subscription.close();
  }
}
