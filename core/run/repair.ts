import type { ModelFailure } from "../ports/model.ts";
import { placeOf } from "../session/decide/current.ts";
import { recordRepair } from "../session/decide/engine.ts";
import { failRun } from "../session/decide/runs.ts";
import type { ActiveRun, RunError } from "../session/state.ts";
import { type Context, commit, done } from "./context.ts";
import type { Outcome } from "./ports.ts";
import { planDeclined, planRepair, runStart } from "./repair-plan.ts";

/** Repairs before one answer. Each changes what is sent; more than these mean that nothing helps. */
const MOST = 8;

/** Runs in a row that are declined before all of the conversation is taken to be the cause. */
const DECLINED = 2;
/** The same where the reason cannot be told: it may lie in an account, and the conversation be sound. */
const REFUSED = 4;

/** Repairs of the conversation before the answer that the run waits for. */
export const repairsOf = (run: ActiveRun): number => (run.turn.at === "model" && run.turn.repairs) || 0;

/**
 * Mends what the provider objects to, once and for all later requests, so that it can be asked again. Returns null to
 * go on. Throws the failure where there is nothing to mend.
 */
export async function repair(
  context: Context,
  run: ActiveRun,
  failure: ModelFailure,
): Promise<Outcome | null> {
  const { entries } = context.conversation;
  const plan = failure.objection && planRepair(entries, failure.objection);
  if (plan === null || repairsOf(run) >= MOST) throw failure;
  // What the user has just sent is not ours to leave out in silence: the run fails, and later ones are spared.
  const isUsers = plan.kind === "shortened" && entries[plan.entry]?.type === "user";
  if (isUsers && plan.entry >= runStart(entries, run.initialInputId)) throw failure;
  const ours = await commit(context, (state, at) => recordRepair(state, placeOf(run), plan, at));
  context.ports.log.warn("the conversation was repaired", { runId: run.id, kind: plan.kind, ours });
  return ours ? null : done;
}

/**
 * Fails the run, as it was when the error came. What made the provider refuse goes in the same commit, so that no later
 * run is refused for it. There is nothing left to carry.
 */
export async function fail(
  context: Context,
  run: ActiveRun,
  error: RunError,
  failure: ModelFailure | null = null,
): Promise<Outcome> {
  const place = placeOf(run);
  const usage = context.spent;
  const plan = afterwards(context, run, failure);
  await commit(context, (state, at) => failRun(state, { place, error, repair: plan, usage, at }));
  return done;
}

function afterwards({ conversation: { entries } }: Context, run: ActiveRun, failure: ModelFailure | null) {
  if (failure === null || failure.objection === null) return null;
  const { objection } = failure;
  if (objection.to === "length") return null;
  // Whatever is named and cannot be mended any more goes with the exchange that it was refused in.
  const patience = objection.to === "content" ? DECLINED : REFUSED;
  return planRepair(entries, objection) ?? planDeclined(entries, run.initialInputId, patience);
}
