import { modelSpec } from "../../contract/models.ts";
import { ModelFailure, type TranscriptEntry } from "../ports/model.ts";
import type { ActiveRun } from "../session/state.ts";
import { type Compaction, halved, SHORTENED } from "./compaction.ts";
import type { Context } from "./context.ts";
import { digest } from "./digest.ts";
import { generate, type Question, roomOf } from "./model-request.ts";
import { cutMiddle } from "./size.ts";
import { toTranscript, userText } from "./transcript.ts";

/** About two tokens a word, in languages that take many. */
const WORDS_PER_TOKEN = 0.5;

/** The second digest is this share of the first. */
const SMALLER = 0.25;

/** One way to ask for a summary. */
type Way = {
  readonly plan: Compaction;
  readonly old: readonly TranscriptEntry[];
  readonly effort: Question["effort"];
  /** What stands in the request is the conversation itself: what a refusal names is an entry of it. */
  readonly isNative: boolean;
};

/**
 * A summary of the old part, and the plan that it is for. What is asked for first is the summary of the old part itself,
 * which the provider has in its cache; where the provider refuses that as too long, of its first half. Where no answer
 * is a summary, a shortened text of the old part is asked about, then a shorter one: never the same again.
 * Throws `ModelFailure`.
 */
export async function summarize(
  context: Context,
  run: ActiveRun,
  apiKey: string,
  wanted: Compaction,
): Promise<{ plan: Compaction; text: string }> {
  let last = noSummary();
  for (const way of ways(context, run, wanted)) {
    if (way.plan !== wanted && last.objection?.to !== "length") continue;
    try {
      const text = await ask(context, apiKey, way);
      if (text !== null) return { plan: way.plan, text };
      last = noSummary();
    } catch (error) {
      last = passable(error, way);
    }
  }
  throw last;
}

const noSummary = () =>
  new ModelFailure("the model wrote no summary of the conversation", { retryable: false });

function* ways(context: Context, run: ActiveRun, wanted: Compaction): Generator<Way> {
  const { entries } = context.conversation;
  const native = (plan: Compaction): Way => ({
    plan,
    old: toTranscript(entries.slice(0, plan.replaces)),
    effort: run.effort ?? "off",
    isNative: true,
  });
  const half = halved(entries, wanted);
  const { window, overhead } = roomOf(context);
  const most = SHORTENED * (window - overhead);
  const told = (share: number): Way => ({
    plan: wanted,
    old: [userText(digest(entries.slice(0, wanted.replaces), share * most))],
    effort: modelSpec(context.agent.model)?.efforts[0] ?? "off",
    isNative: false,
  });
  yield native(wanted);
  if (half !== null) yield native(half);
  yield told(1);
  yield told(SMALLER);
}

/** A failure after which another way may work; any other is thrown. */
function passable(error: unknown, { isNative, old }: Way): ModelFailure {
  if (!(error instanceof ModelFailure) || error.objection === null) throw error;
  const { objection } = error;
  if (objection.to === "length" || objection.to === "content" || objection.to === "request") return error;
  // What it names may be the question, which is no entry of the conversation.
  const isOurs = objection.to === "entry" && objection.entry >= old.length;
  if (isNative && !isOurs) throw error;
  return new ModelFailure(error.message, { retryable: false });
}

/**
 * Asks for the summary at the end of the old part: everything before the question is what earlier requests sent. Null
 * when the answer is none: it called a tool, was cut, or has no text.
 */
async function ask(context: Context, apiKey: string, { plan, old, effort }: Way): Promise<string | null> {
  const transcript = [...old, userText(question(Math.floor(plan.summaryTokens * WORDS_PER_TOKEN)))];
  const reply = await generate(context, { apiKey, transcript, effort }, { onText: () => undefined });
  const text = reply.text.join("\n\n").trim();
  if (text === "" || reply.cut || reply.scripts.length > 0) return null;
  return cutMiddle(text, plan.summaryTokens);
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
