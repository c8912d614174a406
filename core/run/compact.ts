import { ModelFailure, type TranscriptEntry } from "../ports/model.ts";
import { placeOf } from "../session/decide/current.ts";
import { recordCompaction } from "../session/decide/engine.ts";
import type { ActiveRun } from "../session/state.ts";
import {
  type Compaction,
  halved,
  isFull,
  planFull,
  planRefused,
  type Room,
  SHORTENED,
} from "./compaction.ts";
import { type Context, commit, done } from "./context.ts";
import { digest } from "./digest.ts";
import { constantPart, generate } from "./model-request.ts";
import type { Outcome } from "./ports.ts";
import { cutMiddle, inputWindow, textTokens } from "./size.ts";
import { toTranscript, userText } from "./transcript.ts";

/** Compactions before one answer: two where one request cannot summarize all of it, and one after a refusal. */
const MOST = 3;

/** About two tokens a word, in languages that take many. */
const WORDS_PER_TOKEN = 0.5;

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
  const { plan, text } = await summarizable(context, run, apiKey, wanted);
  const summary = text === null ? null : ports.blobs.stow(task.sessionId, text);
  const upload = summary?.upload ?? null;
  const ours = await commit(
    context,
    (state, at) =>
      recordCompaction(state, {
        place: placeOf(run),
        summary: summary?.payload ?? null,
        replaces: plan.replaces,
        longest: plan.longest,
        at,
      }),
    upload === null ? [] : [upload],
  );
  ports.log.info("the conversation was compacted", { runId: run.id, entries: plan.replaces, ours });
  return ours ? null : done;
}

/**
 * The plan that the model could summarize, and the summary. Where the provider refuses the whole, half of it; where
 * it refuses that as well, or there is no half, the whole as a shortened text.
 */
async function summarizable(
  context: Context,
  run: ActiveRun,
  apiKey: string,
  plan: Compaction,
): Promise<{ plan: Compaction; text: string | null }> {
  if (plan.replaces === 0) return { plan, text: null };
  const { entries } = context.conversation;
  const half = halved(entries, plan);
  for (const part of half === null ? [plan] : [plan, half]) {
    try {
      const old = toTranscript(entries.slice(0, part.replaces));
      return { plan: part, text: await summarize(context, run, apiKey, part, old) };
    } catch (error) {
      if (!(error instanceof ModelFailure && error.tooLong)) throw error;
    }
  }
  const { window, overhead } = roomOf(context);
  const short = digest(entries.slice(0, plan.replaces), SHORTENED * (window - overhead));
  return { plan, text: await summarize(context, run, apiKey, plan, [userText(short)]) };
}

/**
 * Asks for the summary at the end of the old part itself: everything before the question is what earlier requests
 * sent, so that the provider reads it from its cache.
 */
async function summarize(
  context: Context,
  run: ActiveRun,
  apiKey: string,
  { summaryTokens }: Compaction,
  old: readonly TranscriptEntry[],
): Promise<string> {
  const transcript = [...old, userText(question(Math.floor(summaryTokens * WORDS_PER_TOKEN)))];
  const reply = await generate(
    context,
    { apiKey, transcript, effort: run.effort ?? "off" },
    { onText: () => undefined },
  );
  const text = reply.text.join("\n\n").trim();
  if (text !== "") return cutMiddle(text, summaryTokens);
  throw new ModelFailure("the model wrote no summary of the conversation", { retryable: true });
}

const question = (words: number): string =>
  `[This message is from the system that you run in, not from the user.]
The conversation has become so long that its beginning, everything above, will be taken away. Write down now what you need to go on without it. You will get your text back in its place, together with the latest messages.

Keep, each as exactly as it was said:
- what the user wants, prefers, allows and forbids, and what was decided and why;
- facts, names, ids, addresses, dates, numbers, and code or wording that matters, letter by letter;
- which scripts and tools were used to what effect, above all what has been done and must not be done twice, and what failed;
- what is unfinished, what comes next, and what you have promised.
If a summary stands at the beginning, carry over what still holds of it.

Answer with that text alone: no greeting, no answer to earlier messages, no tool call. Use the language of the conversation and at most about ${words} words.`;

/** Compactions before the answer that the run waits for. */
export const compactionsOf = (run: ActiveRun): number =>
  (run.turn.at === "model" && run.turn.compactions) || 0;

function roomOf(context: Context): Room {
  const { instructions, tool } = constantPart(context);
  const overhead = textTokens(instructions) + textTokens(JSON.stringify(tool));
  return { window: inputWindow(context.agent.model), overhead };
}
