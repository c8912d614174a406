import { type Clock, timestamp } from "../ports/clock.ts";
import type { Executions } from "../ports/executions.ts";
import type { Log } from "../ports/log.ts";
import type { SessionStore } from "../ports/store.ts";
import { expireCalls } from "../session/decide/calls.ts";
import { dueAt, effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import { loseRun } from "./park.ts";
import { perform } from "./perform.ts";

type Ports = {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly executions: Executions;
  readonly log: Log;
};

/** Does what the session's state still asks for: a start or a wake-up that its committer did not get to. */
export async function reconcile({ store, executions }: Ports, sessionId: string): Promise<void> {
  const loaded = await store.load(sessionId);
  if (loaded !== null) await perform(executions, effects(loaded.state));
}

const PER_SHARD = 100;
/** Items, and objects, of a deleted session that one look erases. */
const ERASED_AT_ONCE = 5_000;

/**
 * Looks at every session that is due before a time, by default now: expires overdue calls, repeats what its state asks for and compares
 * it with the engine. One session that fails does not keep the others from their turn.
 */
export async function sweep(
  ports: Ports,
  before: string = timestamp(ports.clock),
): Promise<{ looked: number; failed: number }> {
  const sessions = await ports.store.due(before, PER_SHARD);
  let failed = 0;
  for (const sessionId of sessions) {
    await look(ports, sessionId).catch((error: unknown) => {
      failed += 1;
      ports.log.warn("the sweep failed on a session", {
        sessionId,
        error: error instanceof Error ? error.name : "unknown",
      });
    });
  }
  return { looked: sessions.length, failed };
}

async function look(ports: Ports, sessionId: string): Promise<void> {
  await handle(ports, sessionId, ({ state }) => expireCalls(state, timestamp(ports.clock)));
  await reconcile(ports, sessionId);
  const loaded = await ports.store.load(sessionId);
  if (loaded === null) await ports.store.erase(sessionId, ERASED_AT_ONCE);
  const run = loaded?.state.run;
  if (loaded === null || run === null || run === undefined) return;
  const { runId, leg } = { runId: run.id, leg: run.leg };
  if (run.status !== "interrupted" && (await ports.executions.status(runId, leg)) === "ended") {
    await loseRun(ports, { sessionId, runId, leg });
    return;
  }
  const until = dueAt(loaded.state, ports.clock.now() + 1);
  if (until !== null) await ports.store.postpone(sessionId, loaded.version, until);
}
