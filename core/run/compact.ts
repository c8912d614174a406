import type { ModelFailure } from "../ports/model.ts";
import { placeOf } from "../session/decide/current.ts";
import { recordCompaction } from "../session/decide/engine.ts";
import type { ActiveRun } from "../session/state.ts";
import { type Compaction, isFull, planFull, planRefused } from "./compaction.ts";
import { type Context, commit, done } from "./context.ts";
import { roomOf } from "./model-request.ts";
import type { Outcome } from "./ports.ts";
import { summarize } from "./summarize.ts";

/** Compactions before one answer: two where one request cannot summarize all of it, and one after a refusal. */
const MOST = 3;

/** The compaction that has to come before the next request, or null. */
export function planCompaction(context: Context, run: ActiveRun): Compaction | null {
  const { entries } = context.conversation;
  const room = roomOf(context);
  return compactionsOf(run) < MOST && isFull(entries, room) ? planFull(entries, room) : null;
}

/** The provider refused the conversation: compacts it to be asked again. Throws the refusal where that is no use. */
export async function compactRefused(
  context: Context,
  run: ActiveRun,
  apiKey: string,
  refusal: ModelFailure,
): Promise<Outcome | null> {
  const before = compactionsOf(run);
  if (before === MOST) throw refusal;
  const plan = planRefused(context.conversation.entries, roomOf(context), before + 1);
  if (plan === null) throw refusal;
  return compact(context, run, apiKey, plan);
}

/**
 * Compacts the conversation that the model sees: one request for a summary, one commit. Returns null to go on.
 * Throws `ModelFailure`, as any request to the model.
 */
export async function compact(
  context: Context,
  run: ActiveRun,
  apiKey: string,
  wanted: Compaction,
): Promise<Outcome | null> {
  const { ports, task } = context;
  const { plan, text } =
    wanted.replaces === 0 ? { plan: wanted, text: null } : await summarize(context, run, apiKey, wanted);
  const summary = text === null ? null : ports.blobs.stow(task.sessionId, text);
  const upload = summary?.upload ?? null;
  const usage = context.spent;
  const ours = await commit(
    context,
    (state, at) =>
      recordCompaction(state, {
        place: placeOf(run),
        summary: summary?.payload ?? null,
        replaces: plan.replaces,
        longest: plan.longest,
        usage,
        at,
      }),
    upload === null ? [] : [upload],
  );
  ports.log.info("the conversation was compacted", { runId: run.id, entries: plan.replaces, ours });
  return ours ? null : done;
}

/** Compactions before the answer that the run waits for. */
export const compactionsOf = (run: ActiveRun): number =>
  (run.turn.at === "model" && run.turn.compactions) || 0;
