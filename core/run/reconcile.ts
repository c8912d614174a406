import { type Clock, timestamp } from "../ports/clock.ts";
import type { Executions } from "../ports/executions.ts";
import type { Log } from "../ports/log.ts";
import type { SessionStore } from "../ports/store.ts";
import { expireCalls } from "../session/decide/calls.ts";
import { dueAt, type Effect, effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import type { ActiveRun } from "../session/state.ts";
import { loseRun } from "./park.ts";
import { perform } from "./perform.ts";

type Ports = {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly executions: Executions;
  readonly log: Log;
};

/**
 * Does what the session's state still asks for: a start or a wake-up that its committer did not get to. Gives what
 * it did.
 */
export async function reconcile({ store, executions }: Ports, sessionId: string): Promise<readonly Effect[]> {
  const loaded = await store.load(sessionId);
  const asked = loaded === null ? [] : effects(loaded.state);
  await perform(executions, asked);
  return asked;
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
  const asked = await reconcile(ports, sessionId);
  const loaded = await ports.store.load(sessionId);
  if (loaded === null) await ports.store.erase(sessionId, ERASED_AT_ONCE);
  const run = loaded?.state.run;
  if (loaded === null || run === null || run === undefined) return;
  if (run.status !== "interrupted" && (await isLost(ports, run, asked))) {
    await loseRun(ports, { sessionId, runId: run.id, leg: run.leg });
    return;
  }
  const until = dueAt(loaded.state, ports.clock.now() + 1);
  if (until !== null) await ports.store.postpone(sessionId, loaded.version, until);
}

/** A started execution may take a moment until Step Functions describes it. */
const DESCRIBED_AFTER_MS = 5_000;

/**
 * Whether nothing carries the run any more: its execution has ended, or nobody knows it, as after its 90 days or
 * beside a restored table.
 */
async function isLost(
  { executions, clock }: Ports,
  { id, leg, begun, startedAt }: ActiveRun,
  asked: readonly Effect[],
): Promise<boolean> {
  const status = await executions.status(id, leg);
  if (status !== "missing") return status === "ended";
  const isNew = asked.some(({ kind }) => kind === "start");
  return begun && !isNew && clock.now() - Date.parse(startedAt) >= DESCRIBED_AFTER_MS;
}
