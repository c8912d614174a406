import { modelSpec } from "../../contract/models.ts";
import type { StoredEntry } from "./transcript.ts";

/**
 * Estimates of tokens, without the provider's tokenizer, that rather come out too high: English has four
 * characters a token, code and digits about three; a character of another script may be a token and a half.
 */
const TOKENS_OF_ASCII = 1 / 3;
const TOKENS_OF_OTHERS = 1.5;

/** No text is cut shorter than this many tokens. */
const SHORTEST = 32;

/** An image costs what its size in pixels does, up to about this. */
const TOKENS_OF_IMAGE = 5_000;

export const textTokens = (text: string): number => Math.ceil(weigh(text, 0, text.length));

function weigh(text: string, from: number, to: number): number {
  let others = 0;
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) > 0x7f) others += 1;
  return (to - from - others) * TOKENS_OF_ASCII + others * TOKENS_OF_OTHERS;
}

/** The texts of an entry that may be cut. A model's own answer goes back as it came. */
export function textsOf(entry: StoredEntry): string[] {
  if (entry.type === "summary" || entry.type === "note") return [entry.text];
  if (entry.type === "script") return [entry.output];
  return entry.type === "user" ? entry.content.flatMap((block) => textOf(block) ?? []) : [];
}

/** The text of a block of user content; null when it is another kind of block. */
export function textOf(block: unknown): string | null {
  const isText = typeof block === "object" && block !== null && "text" in block && "type" in block;
  return isText && block.type === "text" && typeof block.text === "string" ? block.text : null;
}

/** Estimated tokens of an entry. */
export function entryTokens(entry: StoredEntry): number {
  if (entry.type === "answer") return textTokens(JSON.stringify(entry.native));
  const texts = textsOf(entry).reduce((sum, text) => sum + textTokens(text), 0);
  if (entry.type !== "user") return texts;
  return texts + entry.content.filter((block) => textOf(block) === null).length * TOKENS_OF_IMAGE;
}

export const entriesTokens = (entries: readonly StoredEntry[]): number =>
  entries.reduce((sum, entry) => sum + entryTokens(entry), 0);

/**
 * Tokens of a request: what the provider counted with its latest answer, and an estimate of what came after it.
 * `overhead` is the estimate of what every request begins with: instructions and tool.
 */
export function requestTokens(entries: readonly StoredEntry[], overhead: number): number {
  const counted = entries.findLastIndex((entry) => entry.type === "answer" && entry.tokens !== undefined);
  const entry = entries[counted];
  const known = entry?.type === "answer" ? entry.tokens : undefined;
  return (known ?? overhead) + entriesTokens(entries.slice(counted + 1));
}

/**
 * Tokens that a request to the model may have, so that its longest answer still has room. A model whose
 * answers may fill the whole window keeps a quarter of it for them. Throws for a model that is not registered.
 */
export function inputWindow(model: string): number {
  const spec = modelSpec(model);
  if (spec === null) throw new Error(`${model} is not registered`);
  const { contextTokens, maxOutputTokens } = spec;
  return maxOutputTokens < contextTokens ? contextTokens - maxOutputTokens : contextTokens * 0.75;
}

/**
 * The length in tokens to which texts of these lengths are cut for all together to have at most `target`, or as
 * near to it as texts can be cut; null when none is longer.
 */
export function longestText(lengths: readonly number[], target: number): number | null {
  const size = (longest: number) => lengths.reduce((sum, tokens) => sum + Math.min(tokens, longest), 0);
  let longest = Math.max(SHORTEST, Math.floor(target));
  while (longest > SHORTEST && size(longest) > target) longest = Math.max(SHORTEST, Math.floor(longest / 2));
  return lengths.some((tokens) => tokens > longest) ? longest : null;
}

/**
 * The text with its middle left out, so that about `longest` tokens of it stay; the text itself when it has no
 * more. The same text and number always give the same.
 */
export function cutMiddle(text: string, longest: number): string {
  if (textTokens(text) <= longest) return text;
  const head = reach(text, longest / 2, 0, 1);
  const tail = reach(text, longest / 2, text.length - 1, -1);
  const note = `[${tail + 1 - head} characters are left out here: the text does not fit what you can read at once.]`;
  return `${text.slice(0, head)}\n${note}\n${text.slice(tail + 1)}`.toWellFormed();
}

/** The first position from `at` on, in steps of `step`, up to which the text has no more than so many tokens. */
function reach(text: string, most: number, at: number, step: 1 | -1): number {
  let left = most;
  let position = at;
  for (; position >= 0 && position < text.length; position += step) {
    left -= text.charCodeAt(position) > 0x7f ? TOKENS_OF_OTHERS : TOKENS_OF_ASCII;
    if (left < 0) break;
  }
  return position;
}
