import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TranscriptEntry } from "../../core/ports/model.ts";
import { lastScripts, type StoredEntry, toTranscript } from "../../core/run/transcript.ts";

const user = (text: string): StoredEntry => ({ type: "user", content: [{ type: "text", text }] });
const answer = (...ids: readonly string[]): StoredEntry => ({
  type: "answer",
  native: { ids: [...ids] },
  scripts: ids.map((id) => ({ id, source: "return 1" })),
});
const output = (id: string): StoredEntry => ({
  type: "script",
  id,
  output: `printed by ${id}`,
  failed: false,
});

/** One turn of a conversation: what a user sends, what the model answers, and how many of its scripts ended. */
type Turn = { readonly scripts: number; readonly ended: number };

const turn: fc.Arbitrary<Turn> = fc
  .record({ scripts: fc.nat({ max: 3 }), share: fc.double({ min: 0, max: 1, noNaN: true }) })
  .map(({ scripts, share }) => ({ scripts, ended: Math.round(scripts * share) }));

/** The conversation of some turns. A turn whose scripts did not all end was lost, and a user spoke again. */
function conversation(turns: readonly Turn[]): StoredEntry[] {
  return turns.flatMap(({ scripts, ended }, index) => {
    const ids = Array.from({ length: scripts }, (_, script) => `call_${index}_${script}`);
    return [user(`input ${index}`), answer(...ids), ...ids.slice(0, ended).map(output)];
  });
}

const conversations = fc.array(turn, { maxLength: 12 }).map(conversation);

describe("a conversation for the model", () => {
  test("has exactly one outcome of every script right after its answer, wherever it was cut off", () => {
    fc.assert(
      fc.property(conversations, fc.nat(), (stored, cut) => {
        const transcript = toTranscript(stored.slice(0, cut % (stored.length + 1)));
        expect(outcomes(transcript)).toEqual(wanted(transcript));
      }),
      { numRuns: 500 },
    );
  });

  test("has every entry once, and nothing else but outcomes that were lost", () => {
    fc.assert(
      fc.property(conversations, (stored) => {
        const transcript = toTranscript(stored);
        const count = (list: readonly { type: string }[], type: string) =>
          list.filter((e) => e.type === type).length;
        expect(count(transcript, "user")).toBe(count(stored, "user"));
        expect(count(transcript, "assistant")).toBe(count(stored, "answer"));
        const kept = transcript.filter((entry) => entry.type === "script" && !entry.failed);
        expect(kept).toEqual(stored.filter(({ type }) => type === "script"));
      }),
      { numRuns: 300 },
    );
  });

  test("only grows at its end, once the scripts of the shorter one have ended", () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 12 }), fc.nat(), (turns, cut) => {
        const longer = conversation(turns);
        const settled = settledPrefixes(longer);
        const shorter = settled[cut % settled.length] ?? [];
        const before = toTranscript(shorter);
        expect(toTranscript(longer).slice(0, before.length)).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test("says of a lost script that its calls may have had effects", () => {
    const transcript = toTranscript([user("go"), answer("a", "b"), output("a"), user("again")]);
    expect(transcript.slice(2)).toEqual([
      { type: "script", id: "a", output: "printed by a", failed: false },
      { type: "script", id: "b", failed: true, output: expect.stringContaining("may have had effects") },
      { type: "user", content: [{ type: "text", text: "again" }] },
    ]);
  });

  test("orders outcomes as the answer ordered its scripts, and leaves out those of no script", () => {
    const transcript = toTranscript([answer("a", "b"), output("b"), output("x"), output("a")]);
    expect(transcript.slice(1).map((entry) => entry.type === "script" && entry.id)).toEqual(["a", "b"]);
  });

  test("leaves out an outcome without an answer", () => {
    expect(toTranscript([output("a"), user("hi")])).toEqual([
      { type: "user", content: [{ type: "text", text: "hi" }] },
    ]);
  });

  test("names what it cannot show", () => {
    const image: StoredEntry = { type: "user", content: [{ type: "image", file_id: "file_1" }] };
    expect(toTranscript([image])).toEqual([
      { type: "user", content: [{ type: "text", text: expect.stringContaining("not available") }] },
    ]);
  });

  test("keeps the model's answer as it came", () => {
    expect(toTranscript([answer("a")])[0]).toEqual({
      type: "assistant",
      native: { ids: ["a"] },
      scriptIds: ["a"],
    });
  });
});

describe("the running script", () => {
  test("is one of the last answer's", () => {
    expect(lastScripts([answer("a"), output("a"), user("hi"), answer("b", "c"), output("b")])).toEqual([
      { id: "b", source: "return 1" },
      { id: "c", source: "return 1" },
    ]);
    expect(lastScripts([user("hi")])).toEqual([]);
  });
});

/** What follows each answer, up to the next entry that is no outcome. */
function outcomes(transcript: readonly TranscriptEntry[]): string[][] {
  const found: string[][] = [];
  for (const entry of transcript) {
    if (entry.type === "assistant") found.push([]);
    else if (entry.type === "script") found.at(-1)?.push(entry.id);
    else found.push([]);
  }
  return found.filter((ids) => ids.length > 0);
}

const wanted = (transcript: readonly TranscriptEntry[]): string[][] =>
  transcript.flatMap((entry) =>
    entry.type === "assistant" && entry.scriptIds.length > 0 ? [[...entry.scriptIds]] : [],
  );

/** Beginnings of the conversation in which no script is under way. */
function settledPrefixes(stored: readonly StoredEntry[]): StoredEntry[][] {
  return Array.from({ length: stored.length + 1 }, (_, length) => stored.slice(0, length)).filter(
    (prefix) => {
      const last = prefix.findLastIndex(({ type }) => type === "answer");
      const entry = prefix[last];
      if (entry?.type !== "answer") return true;
      const next = stored.slice(last + 1).findIndex(({ type }) => type !== "script");
      const end = next === -1 ? stored.length : last + 1 + next;
      return prefix.length >= end;
    },
  );
}
