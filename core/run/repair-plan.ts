import type { Objection } from "../ports/model.ts";
import type { Repair } from "../session/events.ts";
import { digest } from "./digest.ts";
import { cutMiddle, textOf, textsOf, textTokens } from "./size.ts";
import { originOf, outputsAfter, type StoredEntry } from "./transcript.ts";

/** An entry that a provider does not take is shortened to about so many tokens; refused once more, it is left out. */
const SHORT = 8_000;

const LEFT_OUT = "[This is left out: it could not be read.]";

/** What a provider's objection to the conversation is answered with; null when there is nothing to mend. */
export function planRepair(entries: readonly StoredEntry[], objection: Objection): Repair | null {
  if (objection.to === "seals") return planUnsealing(entries);
  return objection.to === "entry" ? planShortening(entries, originOf(entries, objection.entry)) : null;
}

function planUnsealing(entries: readonly StoredEntry[]): Repair | null {
  const sealed = entries.some((entry) => entry.type === "answer" && entry.unsealed !== true);
  return sealed ? { kind: "unsealed", entries: entries.length } : null;
}

function planShortening(entries: readonly StoredEntry[], at: number | null): Repair | null {
  const entry = at === null ? undefined : entries[at];
  if (at === null || entry === undefined) return null;
  if (canBeShort(entry)) return { kind: "shortened", entry: at, longest: SHORT };
  const isLeftOut = JSON.stringify(shortened(entries, at, 0)) === JSON.stringify(entries);
  return isLeftOut ? null : { kind: "shortened", entry: at, longest: 0 };
}

/** Whether shortening leaves something of an entry: one that is little longer has been shortened already. */
function canBeShort(entry: StoredEntry): boolean {
  if (entry.type === "answer") return true;
  const hasAttachment = entry.type === "user" && entry.content.some((block) => textOf(block) === null);
  return hasAttachment || textsOf(entry).some((text) => textTokens(text) > 2 * SHORT);
}

/**
 * The repair of a conversation whose latest exchange a provider declined: what came of the run's input gives way to a
 * note. When so many runs right before it were declined as well, what they have in common is older: all of it gives way.
 */
export function planDeclined(
  entries: readonly StoredEntry[],
  initialInputId: string,
  patience: number,
): Repair {
  const from = runStart(entries, initialInputId);
  const before = entries.slice(Math.max(0, from - patience), from);
  const stuck = before.length === patience && before.every(({ type }) => type === "declined");
  return { kind: "declined", from: stuck || from >= entries.length ? 0 : from };
}

/** Where a run's part of the conversation begins: with its first input, or after the summary that took that in. */
export function runStart(entries: readonly StoredEntry[], initialInputId: string): number {
  const first = entries.findIndex((entry) => entry.type === "user" && entry.input === initialInputId);
  if (first !== -1) return first;
  if (entries[0]?.type === "summary") return 1;
  return Math.max(
    0,
    entries.findLastIndex(({ type }) => type === "user"),
  );
}

/** The conversation after a repair: from the same entries always the same. */
export function repaired(entries: readonly StoredEntry[], repair: Repair): StoredEntry[] {
  switch (repair.kind) {
    case "unsealed":
      return entries.map((entry, at) =>
        entry.type === "answer" && at < repair.entries ? { ...entry, unsealed: true } : entry,
      );
    case "shortened":
      return shortened(entries, repair.entry, repair.longest);
    case "declined":
      return [...entries.slice(0, repair.from), { type: "declined" }];
  }
}

/** The same entries, one of them cut. An answer cannot be cut: a text that tells of it takes its outputs in. */
function shortened(entries: readonly StoredEntry[], at: number, longest: number): StoredEntry[] {
  const entry = entries[at];
  if (entry === undefined) return [...entries];
  const after = entry.type === "answer" ? at + 1 + outputsAfter(entries, at).length : at + 1;
  const short = entry.type === "answer" ? noteOf(entries.slice(at, after), longest) : cut(entry, longest);
  return [...entries.slice(0, at), short, ...entries.slice(after)];
}

const noteOf = (entries: readonly StoredEntry[], longest: number): StoredEntry => ({
  type: "note",
  text: digest(entries, longest),
});

function cut(entry: Exclude<StoredEntry, { type: "answer" }>, longest: number): StoredEntry {
  switch (entry.type) {
    case "script":
      return { ...entry, output: cutText(entry.output, longest) };
    case "summary":
    case "note":
      return { ...entry, text: cutText(entry.text, longest) };
    case "user":
      return { ...entry, content: cutContent(entry.content, longest) };
    case "declined":
      return entry;
  }
}

const cutText = (text: string, longest: number): string => {
  if (textTokens(text) <= longest) return text;
  return longest === 0 ? LEFT_OUT : cutMiddle(text, longest);
};

/** Attachments go first. */
function cutContent(content: Extract<StoredEntry, { type: "user" }>["content"], longest: number) {
  const texts = content.map((block) => ({ type: "text", text: cutText(textOf(block) ?? LEFT_OUT, longest) }));
  return longest === 0 ? [{ type: "text", text: LEFT_OUT }] : texts;
}
