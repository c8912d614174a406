import type { Clock } from "../ports/clock.ts";
import type { Executions } from "../ports/executions.ts";
import type { Log } from "../ports/log.ts";
import type { DueSession, SessionStore } from "../ports/store.ts";
import { type Lane, lanes } from "../session/look.ts";
import { look } from "./look.ts";

type Ports = {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly executions: Executions;
  readonly log: Log;
};

export type Round = {
  /** Sessions that are due at this time, or were before. */
  readonly before: string;
  /** False when nothing more is to be begun. */
  readonly hasTime: () => boolean;
  /** The most looks in a lane. */
  readonly most: Readonly<Record<Lane, number>>;
};

/** `left`: the round ended before everything that is due had its turn. */
export type Swept = { readonly looked: number; readonly failed: number; readonly left: boolean };

/** Looks at a time in each shard of the index. A look is mostly waiting: a load, a description, a write. */
const AT_ONCE = 4;

/**
 * Looks at every session that is due, what may be overdue before what only waits, and the oldest first. What has no
 * turn in this round is the first of the next. One session that fails does not keep the others from their turn.
 */
export async function sweep(ports: Ports, round: Round): Promise<Swept> {
  const total = { looked: 0, failed: 0, left: false };
  for (const lane of lanes) {
    const { looked, failed, left } = await sweepLane(ports, round, lane);
    total.looked += looked;
    total.failed += failed;
    total.left ||= left;
  }
  return total;
}

async function sweepLane(ports: Ports, { before, hasTime, most }: Round, lane: Lane): Promise<Swept> {
  const swept = { looked: 0, failed: 0, left: false };
  const work = async (due: AsyncIterator<DueSession>): Promise<void> => {
    for (let next = await due.next(); next.done !== true; next = await due.next()) {
      if (!hasTime() || swept.looked >= most[lane]) {
        swept.left = true;
        return;
      }
      swept.looked += 1;
      if (!(await tryLook(ports, next.value))) swept.failed += 1;
    }
  };
  const workers = ports.store.due(lane, before).flatMap((shard) => {
    const due = shard[Symbol.asyncIterator]();
    return Array.from({ length: AT_ONCE }, () => work(due));
  });
  // All of them end before any failure is told: nothing goes on behind the round.
  const ended = await Promise.allSettled(workers);
  for (const end of ended) if (end.status === "rejected") throw end.reason;
  return swept;
}

async function tryLook(ports: Ports, due: DueSession): Promise<boolean> {
  try {
    await look(ports, due);
    return true;
  } catch (error) {
    ports.log.warn("the sweep failed on a session", {
      sessionId: due.sessionId,
      error: error instanceof Error ? error.name : "unknown",
    });
    return false;
  }
}
