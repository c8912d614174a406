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
const output = (id: string, text = `printed by ${id}`): StoredEntry => ({
  type: "script",
  id,
  output: text,
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
    return [user(`input ${index}`), answer(...ids), ...ids.slice(0, ended).map((id) => output(id))];
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

describe("calls of one id", () => {
  const same: StoredEntry = {
    type: "answer",
    native: [],
    scripts: [
      { id: "x", source: "return 'A'" },
      { id: "x", source: "return 'B'" },
    ],
  };
  const idsOf = (transcript: readonly TranscriptEntry[]) =>
    transcript.flatMap((entry) => (entry.type === "assistant" ? entry.scriptIds : []));

  test("in one answer get ids of their own, and their outputs in their order", () => {
    const transcript = toTranscript([same, output("x", "A"), output("x", "B")]);
    expect(transcript.slice(1)).toMatchObject([{ output: "A" }, { output: "B" }]);
    expect(outcomes(transcript)).toEqual([idsOf(transcript)]);
    expect(new Set(idsOf(transcript)).size).toBe(2);
  });

  test("in later answers change nothing that was sent before", () => {
    const first = [user("one"), same, output("x"), output("x")];
    const before = toTranscript(first);
    const after = toTranscript([...first, user("two"), same, output("x"), output("x"), answer("x")]);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(new Set(idsOf(after)).size).toBe(5);
  });

  test.each(["", "a b", "x".repeat(65), "<|id|>"])("that no provider takes back are replaced: %j", (id) => {
    const [sent] = idsOf(toTranscript([answer(id)]));
    expect(sent).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test("never collide with one that was made", () => {
    const ids = idsOf(toTranscript([answer("", "call_2", "", "call_1", "call_5")]));
    expect(new Set(ids).size).toBe(5);
  });
});

describe("an answer that was cut", () => {
  const cut = (native: StoredEntry & { type: "answer" }): StoredEntry => ({ ...native, cut: true });
  const plain: StoredEntry & { type: "answer" } = {
    type: "answer",
    native: [{ text: "Half a" }],
    scripts: [],
  };

  test("is followed by a note that tells the model to go on", () => {
    const transcript = toTranscript([user("Tell"), cut(plain)]);
    expect(transcript.map(({ type }) => type)).toEqual(["user", "assistant", "user"]);
    expect(JSON.stringify(transcript[2])).toContain("go on exactly where it stops");
  });

  test("before any text tells it to think less", () => {
    expect(JSON.stringify(toTranscript([cut({ ...plain, native: [] })]))).toContain("Think less");
  });

  test("with calls needs no note: each has an outcome that says so", () => {
    const called = answer("a");
    expect(toTranscript([called.type === "answer" ? cut(called) : called, output("a")])).toHaveLength(2);
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
