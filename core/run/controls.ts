import { settlePause, settleStop } from "../session/decide/controls.ts";
import { type Context, commit, done, freeRun, ownRun } from "./context.ts";
import type { Outcome } from "./ports.ts";
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

/** How often the session is read for a stop while the model or a script works. */
const LOOK_MS = 1_000;

/**
 * Works on the run until that is done, or the run is no longer to be worked on: then what is under way is
 * aborted and its outcome discarded. Null in that case.
 */
export async function unlessStopped<T>(
  context: Context,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  const stopped = new AbortController();
  const ended = new AbortController();
  const watching = watch(context, stopped, ended.signal);
  try {
    return await work(AbortSignal.any([context.signal, stopped.signal]));
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    return null;
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
    }
  } finally {
    subscription.close();
  }
}
