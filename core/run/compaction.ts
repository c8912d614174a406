import {
  cutMiddle,
  entriesTokens,
  entryTokens,
  longestText,
  requestTokens,
  textOf,
  textsOf,
  textTokens,
} from "./size.ts";
import type { StoredEntry } from "./transcript.ts";

/** The conversation is compacted when it fills this share of its room. */
const FULL = 0.8;
/** The newest part stays as it is, up to this share of the room. */
const KEPT = 0.25;
/** A summary is at most this share of the room. Less than half of it is not worth a summary. */
const SUMMARY = 0.2;
/** What one request cannot take is cut to this share of the room: with a summary before it, it is not full. */
export const SHORTENED = FULL - SUMMARY;
/** What has to stay is cut only when it is estimated at so many windows: below, the provider knows better. */
const HOPELESS = 2;

/** What there is room for, in tokens. */
export type Room = {
  /** The longest request. */
  readonly window: number;
  /** What every request begins with: instructions and tool. */
  readonly overhead: number;
};

/** What to do: replace the first entries by a summary of at most so many tokens, and cut long texts of the others. */
export type Compaction = {
  readonly replaces: number;
  readonly summaryTokens: number;
  readonly longest: number | null;
};

/** Whether the next request should have a compaction before it. */
export function isFull(entries: readonly StoredEntry[], { window, overhead }: Room): boolean {
  return requestTokens(entries, overhead) > overhead + FULL * (window - overhead);
}

/** The compaction of a conversation that is full; null when none would help. */
export function planFull(entries: readonly StoredEntry[], { window, overhead }: Room): Compaction | null {
  const room = window - overhead;
  if (room <= 0) return null;
  const replaces = replaceable(entries, KEPT * room);
  return plan(entries, isWorthwhile(entries, replaces, room) ? replaces : 0, room, HOPELESS * window);
}

const isWorthwhile = (entries: readonly StoredEntry[], replaces: number, room: number): boolean =>
  entriesTokens(entries.slice(0, replaces)) >= (SUMMARY / 2) * room;

/**
 * The compaction of a conversation that the provider has refused as too long, for the nth time; null when
 * there is nothing left to shorten. Where the estimate says that it fits, the refusal says that it just does not.
 */
export function planRefused(
  entries: readonly StoredEntry[],
  { window, overhead }: Room,
  nth: number,
): Compaction | null {
  const room = Math.min(window - overhead, entriesTokens(entries)) / nth;
  if (room <= 0) return null;
  const usual = plan(entries, replaceable(entries, KEPT * room), room, SHORTENED * room);
  return usual ?? lastResort(entries, room);
}

/**
 * Where nothing else can be shortened, the answer that waits for its scripts' outputs gives way with them: no other
 * request, of this run or a later one, would ever be taken. The inputs after it stay.
 */
function lastResort(entries: readonly StoredEntry[], room: number): Compaction | null {
  const replaces = entries.findLastIndex(({ type }) => type !== "user") + 1;
  const isSummary = replaces === 1 && entries[0]?.type === "summary";
  if (replaces === 0 || isSummary || !isWorthwhile(entries, replaces, room)) return null;
  return plan(entries, replaces, room, Number.POSITIVE_INFINITY);
}

/**
 * The same with about half as many entries replaced, because all of them with the question for a summary are too
 * long for one request; null when there is no half. What is left can be compacted next.
 */
export function halved(entries: readonly StoredEntry[], whole: Compaction): Compaction | null {
  const sizes = entries.slice(0, whole.replaces).map(entryTokens);
  const half = sizes.reduce((sum, tokens) => sum + tokens, 0) / 2;
  let size = 0;
  let replaces = 0;
  for (const [at, tokens] of sizes.entries()) {
    if (entries[at]?.type !== "script") replaces = at;
    size += tokens;
    if (size > half) break;
  }
  const least = entries[0]?.type === "summary" ? 2 : 1;
  return replaces < least ? null : { ...whole, replaces };
}

function plan(
  entries: readonly StoredEntry[],
  replaces: number,
  room: number,
  most: number,
): Compaction | null {
  const kept = entries.slice(replaces);
  const longest = entriesTokens(kept) > most ? cutTo(kept, SHORTENED * room) : null;
  if (replaces === 0 && longest === null) return null;
  return { replaces, summaryTokens: Math.floor(SUMMARY * room), longest };
}

/**
 * How many entries at the beginning may give way: all but the newest `keep` tokens and what the model has not
 * answered yet. A script's output stays with the answer that asked for it. A summary alone is not summarized.
 */
function replaceable(entries: readonly StoredEntry[], keep: number): number {
  let first = unanswered(entries);
  let size = entriesTokens(entries.slice(first));
  for (let at = first - 1; at >= 0; at -= 1) {
    const entry = entries[at];
    if (entry === undefined) break;
    size += entryTokens(entry);
    if (size > keep) break;
    if (entry.type !== "script") first = at;
  }
  return first === 1 && entries[0]?.type === "summary" ? 0 : first;
}

/** Where the part begins that the model has not answered: its last scripts, with the answer, and inputs. */
function unanswered(entries: readonly StoredEntry[]): number {
  const last = entries.findLastIndex(({ type }) => type === "answer");
  const entry = entries[last];
  if (entry?.type === "answer") return entry.scripts.length > 0 ? last : last + 1;
  return entries[0]?.type === "summary" ? 1 : 0;
}

/** The length in tokens to which texts of the entries are cut for all to have at most `target`; null: none is cut. */
function cutTo(entries: readonly StoredEntry[], target: number): number | null {
  const lengths = entries.flatMap(textsOf).map(textTokens);
  const fixed = entriesTokens(entries) - lengths.reduce((sum, tokens) => sum + tokens, 0);
  return longestText(lengths, target - fixed);
}

/**
 * The conversation after a compaction: from the same entries always the same. Token counts of answers that stay
 * are dropped, because they counted what is gone.
 */
export function compacted(
  entries: readonly StoredEntry[],
  { replaces, longest }: Pick<Compaction, "replaces" | "longest">,
  summary: string | null,
): StoredEntry[] {
  const kept = entries.slice(replaces).map((entry) => reduced(entry, longest));
  return summary === null ? kept : [{ type: "summary", text: summary }, ...kept];
}

function reduced(entry: StoredEntry, longest: number | null): StoredEntry {
  if (entry.type === "answer") {
    const { tokens: _, ...rest } = entry;
    return rest;
  }
  if (longest === null) return entry;
  if (entry.type === "script") return { ...entry, output: cutMiddle(entry.output, longest) };
  if (entry.type === "summary" || entry.type === "note")
    return { ...entry, text: cutMiddle(entry.text, longest) };
  if (entry.type === "declined") return entry;
  const content = entry.content.map((block) => {
    const text = textOf(block);
    return text === null ? block : { type: "text", text: cutMiddle(text, longest) };
  });
  return { ...entry, content };
}
