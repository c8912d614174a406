import * as z from "zod";
import { JsonValue } from "../../contract/schemas/common.ts";
import type { TranscriptEntry, UserBlock } from "../ports/model.ts";
import { StoredAnswer } from "../session/events.ts";
import { distinctIds } from "./distinct-ids.ts";

/** One entry of the conversation as checkpoints keep it. */
export const StoredEntry = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("user"),
    content: z.array(JsonValue),
    /** Id of the input; older checkpoints do not have it. */
    input: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal("answer"),
    ...StoredAnswer.shape,
    /** A provider could not read its sealed reasoning any more: it is left out. */
    unsealed: z.literal(true).optional(),
  }),
  z.strictObject({ type: z.literal("script"), id: z.string(), output: z.string(), failed: z.boolean() }),
  /** What the model wrote about entries that gave way to it. */
  z.strictObject({ type: z.literal("summary"), text: z.string() }),
  /** Stands for an answer, with its outputs, that a provider did not take back as it was. */
  z.strictObject({ type: z.literal("note"), text: z.string() }),
  /** Stands for an exchange that a provider declined. */
  z.strictObject({ type: z.literal("declined") }),
]);
export type StoredEntry = z.infer<typeof StoredEntry>;

const TextBlock = z.object({ type: z.literal("text"), text: z.string() });

const LOST_OUTPUT =
  "The script did not finish: its run ended first. Calls that it had made may have had effects; check before repeating them.";

const SUMMARY_BEGINS =
  "[The conversation began earlier. This is your own summary of its beginning, which you can no longer read; the latest messages follow as they were.]";

const DECLINED = "[A message stood here, with what followed from it. It was not answered and is left out.]";

const CUT =
  "[Your answer reached its output limit and was cut off there. Unless the user says otherwise, go on exactly where it stops, without repeating any of it.]";

const CUT_BEFORE_TEXT =
  "[Your answer reached its output limit before you had written any of it. Think less, and answer more briefly.]";

/**
 * The conversation as the model gets it. Every script call has an id of its own, and an outcome right after its
 * answer, in the order of the calls, whatever was lost: a provider refuses a conversation in which one is missing or
 * two have the same id.
 */
export const toTranscript = (stored: readonly StoredEntry[]): TranscriptEntry[] =>
  Array.from(told(stored), ({ entry }) => entry);

/** The index of the stored entry that is told at a place of the transcript, or null where there is none. */
export const originOf = (stored: readonly StoredEntry[], place: number): number | null =>
  Array.from(told(stored))[place]?.origin ?? null;

/** What the model gets, and the index of the stored entry that it is told of. */
type Told = { readonly entry: TranscriptEntry; readonly origin: number };

function* told(stored: readonly StoredEntry[]): Generator<Told> {
  const distinct = distinctIds();
  for (const [origin, entry] of stored.entries()) {
    if (entry.type === "answer") yield* toldAnswer(stored, origin, entry, distinct);
    else if (entry.type !== "script") yield { entry: toldByUser(entry), origin };
  }
}

type Answer = Extract<StoredEntry, { type: "answer" }>;
type Output = Extract<StoredEntry, { type: "script" }>;

function* toldAnswer(
  stored: readonly StoredEntry[],
  origin: number,
  { native, scripts, cut, unsealed }: Answer,
  distinct: (id: string) => string,
): Generator<Told> {
  const outputs = outputsAfter(stored, origin);
  const scriptIds = scripts.map(({ id }) => distinct(id));
  const seal = unsealed === true ? { unsealed } : {};
  yield { entry: { type: "assistant", native, scriptIds, ...seal }, origin };
  for (const [index, script] of scripts.entries()) {
    const id = scriptIds[index] ?? script.id;
    // Calls that came under one id are told apart by their order.
    const nth = scripts.slice(0, index).filter((before) => before.id === script.id).length;
    const found = outputs.filter(({ output }) => output.id === script.id)[nth];
    yield found === undefined
      ? { entry: { type: "script", id, output: LOST_OUTPUT, failed: true }, origin }
      : { entry: { ...found.output, id }, origin: found.origin };
  }
  if (cut === true && scripts.length === 0)
    yield { entry: userText(isEmpty(native) ? CUT_BEFORE_TEXT : CUT), origin };
}

const isEmpty = (native: Answer["native"]): boolean => Array.isArray(native) && native.length === 0;

/** The outputs that follow an answer. */
export function outputsAfter(
  stored: readonly StoredEntry[],
  answer: number,
): { readonly output: Output; readonly origin: number }[] {
  const outputs = [];
  for (let origin = answer + 1; ; origin += 1) {
    const output = stored[origin];
    if (output?.type !== "script") return outputs;
    outputs.push({ output, origin });
  }
}

function toldByUser(entry: Exclude<StoredEntry, Answer | Output>): TranscriptEntry {
  switch (entry.type) {
    case "user":
      return { type: "user", content: entry.content.map(toBlock) };
    case "summary":
      return userText(`${SUMMARY_BEGINS}\n\n${entry.text}`);
    case "note":
      return userText(entry.text);
    case "declined":
      return userText(DECLINED);
  }
}

/** An entry of the user's role with this text. */
export const userText = (text: string): TranscriptEntry => ({
  type: "user",
  content: [{ type: "text", text }],
});

function toBlock(block: unknown): UserBlock {
  const text = TextBlock.safeParse(block);
  return text.success ? text.data : { type: "text", text: "[An attachment that is not available.]" };
}

/** The scripts of the last answer; the running one is among them. */
export function lastScripts(stored: readonly StoredEntry[]): StoredAnswer["scripts"] {
  return stored.findLast((entry) => entry.type === "answer")?.scripts ?? [];
}
