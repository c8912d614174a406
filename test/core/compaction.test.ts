import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compacted, halved, isFull, planFull, planRefused } from "../../core/run/compaction.ts";
import { cutMiddle, entriesTokens, inputWindow, requestTokens, textTokens } from "../../core/run/size.ts";
import { type StoredEntry, toTranscript } from "../../core/run/transcript.ts";
import {
  answer as answered,
  apply,
  compact,
  created,
  end,
  lose,
  placeIn,
  retry,
  scripting,
} from "../support/commands.ts";
import { given, story } from "../support/specification.ts";

const room = { window: 6_000, overhead: 500 };
const user = (text: string): StoredEntry => ({ type: "user", content: [{ type: "text", text }] });
const answer = (text: string, ...ids: readonly string[]): StoredEntry => ({
  type: "answer",
  native: [text],
  scripts: ids.map((id) => ({ id, source: "return 1" })),
});
const output = (id: string, text: string): StoredEntry => ({
  type: "script",
  id,
  output: text,
  failed: false,
});
const long = (tokens: number) => "abc".repeat(tokens);

type Turn = { readonly said: number; readonly scripts: number; readonly printed: number };
const turns = fc.array(
  fc.record({
    said: fc.nat({ max: 900 }),
    scripts: fc.nat({ max: 2 }),
    printed: fc.nat({ max: 900 }),
  }),
  { maxLength: 20 },
);

/** A conversation that ends with an input or with outputs, which the model has not answered. */
function conversation(list: readonly Turn[], scripting: boolean): StoredEntry[] {
  const entries = list.flatMap(({ said, scripts, printed }, turn): StoredEntry[] => {
    const ids = Array.from({ length: scripts }, (_, at) => `call_${turn}_${at}`);
    const outputs = ids.map((id) => output(id, long(printed)));
    return [user(`input ${turn} ${long(said)}`), answer("doing", ...ids), ...outputs, answer("done")];
  });
  const open = [answer("look", "open_0", "open_1"), output("open_0", "a"), output("open_1", "b")];
  return [...entries, user("the last"), ...(scripting ? [...open, user("steering")] : [])];
}

const conversations = fc.tuple(turns, fc.boolean()).map(([list, scripting]) => conversation(list, scripting));

describe("a full conversation", () => {
  test("keeps its newest part, and all that the model has not answered, as it was", () => {
    fc.assert(
      fc.property(conversations, (entries) => {
        const plan = planFull(entries, room);
        if (plan === null) return;
        const after = compacted(entries, plan, "the summary");
        expect(plan.longest).toBeNull();
        expect(after[0]).toEqual({ type: "summary", text: "the summary" });
        expect(after.slice(1)).toEqual(entries.slice(plan.replaces));
        const last = entries.findLastIndex(({ type }) => type === "user");
        const opened = entries.findLastIndex((entry) => entry.type === "answer" && entry.scripts.length > 0);
        expect(plan.replaces).toBeLessThanOrEqual(last);
        if (entries.at(-2)?.type === "script") expect(plan.replaces).toBeLessThanOrEqual(opened);
      }),
      { numRuns: 500 },
    );
  });

  test("is never cut between a script and its output", () => {
    fc.assert(
      fc.property(conversations, (entries) => {
        const plan = planFull(entries, room);
        if (plan === null) return;
        expect(entries[plan.replaces]?.type).not.toBe("script");
        const transcript = toTranscript(entries);
        const [, ...kept] = toTranscript(compacted(entries, plan, "s"));
        expect(kept).toEqual(transcript.slice(transcript.length - kept.length));
        // The question for the summary comes after the very bytes that were sent before.
        const old = toTranscript(entries.slice(0, plan.replaces));
        expect(old).toEqual(transcript.slice(0, old.length));
      }),
      { numRuns: 500 },
    );
  });

  test("has much room afterwards", () => {
    fc.assert(
      fc.property(conversations, (entries) => {
        if (!isFull(entries, room)) return;
        const plan = planFull(entries, room);
        if (plan === null) throw new Error("there is something to replace");
        const after = compacted(entries, plan, cutMiddle(long(9_000), plan.summaryTokens));
        expect(isFull(after, room)).toBe(false);
        expect(entriesTokens(after)).toBeLessThan(0.6 * (room.window - room.overhead));
      }),
      { numRuns: 500 },
    );
  });

  test("is told by what the provider counted, and by an estimate of what came after", () => {
    const counted: StoredEntry = { ...answer("x"), type: "answer", native: [], scripts: [], tokens: 4_000 };
    expect(requestTokens([user(long(9_000)), counted, user(long(100))], 500)).toBe(4_100);
    expect(isFull([user(long(9_000)), counted, user(long(100))], room)).toBe(false);
    expect(isFull([counted, user(long(1_000))], room)).toBe(true);
  });

  test("forgets token counts that counted what is gone", () => {
    const counted: StoredEntry = { type: "answer", native: [], scripts: [], tokens: 4_000 };
    const after = compacted([user("a"), counted, user("b")], { replaces: 1, longest: null }, "s");
    expect(after[1]).toEqual({ type: "answer", native: [], scripts: [] });
  });

  test("is left alone where a summary would gain nothing", () => {
    expect(planFull([user("hi"), answer("ho"), user(long(5_000))], room)).toBeNull();
    expect(planFull([{ type: "summary", text: long(2_000) }, user(long(5_000))], room)).toBeNull();
    expect(planFull([user(long(5_000))], { window: 500, overhead: 600 })).toBeNull();
  });

  test("has a text cut that cannot fit by any count", () => {
    const entries = [user("hi"), answer("ho"), user(long(20_000))];
    const plan = planFull(entries, room);
    expect(plan).toMatchObject({ replaces: 0, longest: expect.any(Number) });
    if (plan === null) throw new Error("there is a plan");
    const after = compacted(entries, plan, null);
    expect(after.slice(0, 2)).toEqual(entries.slice(0, 2));
    expect(isFull(after, room)).toBe(false);
  });
});

describe("a compaction that is too long to be summarized at once", () => {
  test("takes about half, and not a script without its outputs", () => {
    fc.assert(
      fc.property(conversations, (entries) => {
        const whole = planFull(entries, room);
        const half = whole && halved(entries, whole);
        if (whole === null || half === null) return;
        expect(half).toEqual({ ...whole, replaces: half.replaces });
        expect(half.replaces).toBeLessThan(whole.replaces);
        expect(entries[half.replaces]?.type).not.toBe("script");
        const size = entriesTokens(entries.slice(0, whole.replaces));
        expect(entriesTokens(entries.slice(0, half.replaces))).toBeLessThanOrEqual(size / 2);
      }),
      { numRuns: 300 },
    );
  });

  test("has no half when there is but one entry, or a summary and another", () => {
    const plan = { replaces: 1, summaryTokens: 100, longest: null };
    expect(halved([user("a"), answer("b")], plan)).toBeNull();
    const summary: StoredEntry = { type: "summary", text: "s" };
    expect(halved([summary, user("a"), answer("b")], { ...plan, replaces: 2 })).toBeNull();
  });
});

describe("a conversation that was refused", () => {
  test("gets smaller each time, whatever the estimate says, until nothing can be shortened", () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 300, max: 20_000 }), (entries, last) => {
        const refused = [...entries, user(long(last))];
        const first = planRefused(refused, room, 1);
        if (first === null) return;
        const once = compacted(refused, first, first.replaces > 0 ? "s" : null);
        expect(entriesTokens(once)).toBeLessThan(entriesTokens(refused));
        const second = planRefused(once, room, 2);
        if (second === null) return;
        const twice = compacted(once, second, second.replaces > 0 ? "s" : null);
        expect(entriesTokens(twice)).toBeLessThan(entriesTokens(once));
      }),
      { numRuns: 300 },
    );
  });

  test("fits after the first time, by the count that the refusal gives", () => {
    // Three estimated tokens that are four of the provider's.
    const entries = [user(long(1_000)), answer("ok"), user(long(3_500))];
    const plan = planRefused(entries, room, 1);
    if (plan === null) throw new Error("there is a plan");
    expect(plan.replaces).toBe(2);
    expect((requestTokens(compacted(entries, plan, "s"), room.overhead) * 4) / 3).toBeLessThan(room.window);
  });

  test("has nothing left to shorten", () => {
    expect(planRefused([user("hi")], room, 1)).toBeNull();
    expect(planRefused([{ type: "summary", text: "s" }, user("hi")], room, 2)).toBeNull();
  });
});

describe("a text that is cut", () => {
  test("keeps its ends, says how much is missing, and is always cut alike", () => {
    const text = `begin${long(1_000)}${"語".repeat(500)}end`;
    const cut = cutMiddle(text, 100);
    expect(cut).toMatch(/^begin(abc)+a?b?\n\[\d+ characters are left out here: .*\]\n語+end$/);
    expect(cutMiddle(text, 100)).toBe(cut);
    expect(textTokens(cut)).toBeLessThan(150);
    const [, missing] = /\[(\d+) characters/.exec(cut) ?? [];
    const note = /\n\[.*\]\n/.exec(cut)?.[0] ?? "";
    expect(cut.length - note.length + Number(missing)).toBe(text.length);
  });

  test("stays whole where it fits", () => {
    expect(cutMiddle("short", 100)).toBe("short");
  });

  test("is never cut through a character", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (most) => {
        expect(cutMiddle("😀".repeat(100), most).isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("an estimate", () => {
  test.each([
    ["English", "The quick brown fox jumps over the lazy dog. ", 10],
    ["Chinese", "敏捷的棕色狐狸跳过懒狗。", 12],
    ["Hindi", "तेज़ भूरी लोमड़ी", 15],
    ["digits", "31415926535897932384", 7],
    ["emoji", "😀😀", 4],
  ])("of %s is not below what tokenizers say", (_, text, tokens) => {
    expect(textTokens(text)).toBeGreaterThanOrEqual(tokens);
  });

  test("of the room leaves room for the longest answer", () => {
    expect(inputWindow("openai/gpt-5")).toBe(272_000);
    expect(inputWindow("openai/gpt-4")).toBe(6_144);
    expect(inputWindow("anthropic/claude-haiku-4-5")).toBe(136_000);
    expect(() => inputWindow("openai/none")).toThrow("not registered");
  });
});

describe("a compaction that is recorded", () => {
  const asking = story(created("queue"), apply());
  const turnOf = ({ state }: typeof asking) => state.run?.turn;

  test("changes nothing that clients see, and is counted until the answer", () => {
    const once = given(asking).when(compact()).then("engine.compacted");
    expect(once.state.sequence).toBe(asking.state.sequence);
    expect(turnOf(once)).toEqual({ at: "model", failures: 0, compactions: 1 });
    expect(turnOf(story(once, retry(2)))).toMatchObject({ failures: 2, compactions: 1 });
    const twice = story(once, retry(1), compact());
    expect(turnOf(twice)).toEqual({ at: "model", failures: 1, compactions: 2 });
    expect(turnOf(story(twice, answered(1)))).toMatchObject({ at: "script" });
  });

  test("is refused when it was recorded already, or after an answer", () => {
    const again = compact({ place: placeIn(asking) });
    given(asking, compact()).when(again).thenRefused("stale");
    given(asking, answered(1), end()).when(again).thenRefused("stale");
  });

  test("is refused while a script runs, and of a run that is not active", () => {
    given(created("queue"), ...scripting())
      .when(compact())
      .thenRefused("stale");
    given(asking, answered(0))
      .when(compact({ place: placeIn(asking) }))
      .thenRefused("stale");
    given(asking, lose()).when(compact()).thenRefused("stale");
  });
});
