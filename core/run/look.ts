import { type Clock, timestamp } from "../ports/clock.ts";
import type { Executions } from "../ports/executions.ts";
import type { DueSession, SessionStore } from "../ports/store.ts";
import { expireCalls } from "../session/decide/calls.ts";
import { effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import { nextLook } from "../session/look.ts";
import type { ActiveRun } from "../session/state.ts";
import { loseRun } from "./park.ts";
import { perform } from "./perform.ts";

type Ports = { readonly store: SessionStore; readonly clock: Clock; readonly executions: Executions };

/** Items, and objects, of a deleted session that one look erases. */
const ERASED_AT_ONCE = 5_000;

/**
 * One look at a session: expires overdue calls, repeats what its state asks for, compares it with the engine, and
 * says when to look again. Of a deleted session it erases what is left.
 */
export async function look(ports: Ports, due: DueSession): Promise<void> {
  const { sessionId } = due;
  const handled = await handle(ports, sessionId, ({ state }) => expireCalls(state, timestamp(ports.clock)));
  if (handled.outcome === "missing") return ports.store.erase(sessionId, ERASED_AT_ONCE);
  if (handled.outcome === "refused") throw new Error(`an expiry was refused: ${handled.refusal.code}`);
  const { version, decision } = handled;
  const isCarried = await perform(ports.executions, effects(decision.state));
  const run = decision.state.run;
  if (run !== null && run.status !== "interrupted" && !isCarried && (await isLost(ports, run))) {
    await loseRun(ports, { sessionId, runId: run.id, leg: run.leg });
    return;
  }
  const next = nextLook(decision.state, ports.clock.now());
  if (next !== null && next.at > due.at) await ports.store.postpone(sessionId, version, next);
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
): Promise<boolean> {
  const status = await executions.status(id, leg);
  if (status !== "missing") return status === "ended";
  return begun && clock.now() - Date.parse(startedAt) >= DESCRIBED_AFTER_MS;
}
