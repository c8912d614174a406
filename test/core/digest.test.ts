import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compacted, planRefused } from "../../core/run/compaction.ts";
import { digest } from "../../core/run/digest.ts";
import { entriesTokens, longestText, textTokens } from "../../core/run/size.ts";
import { type StoredEntry, toTranscript } from "../../core/run/transcript.ts";

const room = { window: 6_000, overhead: 500 };
const user = (text: string): StoredEntry => ({ type: "user", content: [{ type: "text", text }] });
const answer = (text: string, ...ids: readonly string[]): StoredEntry => ({
  type: "answer",
  native: [{ type: "message", text }],
  scripts: ids.map((id) => ({ id, source: "return 1" })),
});
const output = (id: string, text: string, failed = false): StoredEntry => ({
  type: "script",
  id,
  output: text,
  failed,
});
const long = (tokens: number) => "a b".repeat(tokens);

describe("a conversation as one text", () => {
  test("says who said what, in order", () => {
    const image = { type: "image", file_id: "file_1" };
    const entries: StoredEntry[] = [
      { type: "summary", text: "Before." },
      { type: "user", content: [{ type: "text", text: "Look" }, image] },
      answer("I look.", "a", "b"),
      output("a", "1"),
      output("b", "no", true),
    ];
    expect(digest(entries, 1_000)).toBe(
      [
        "[Earlier summary]\nBefore.",
        "[User]\nLook\n[An attachment]",
        '[Your answer, as JSON]\n[{"type":"message","text":"I look."}]',
        "[Output of a script]\n1",
        "[Error of a script]\nno",
      ].join("\n\n"),
    );
  });

  test("leaves out what nobody can read", () => {
    const sealed: StoredEntry = {
      type: "answer",
      native: [{ encrypted_content: "Ab3/".repeat(5_000) }, { text: "Plain." }],
      scripts: [],
    };
    expect(digest([sealed], 1_000)).toBe(
      '[Your answer, as JSON]\n[{"encrypted_content":"…"},{"text":"Plain."}]',
    );
  });

  test("has at most about the length that was asked for, begins and ends as they do, and is always the same", () => {
    const sizes = fc.array(fc.nat({ max: 4_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(sizes, fc.integer({ min: 400, max: 5_000 }), (list, most) => {
        const entries = list.flatMap((size, at) => [user(`begin ${at} ${long(size)}`), answer(long(size))]);
        const text = digest(entries, most);
        // The notes about what is left out come on top, and there is one of them at least.
        expect(textTokens(text)).toBeLessThanOrEqual(most + 40);
        expect(text.startsWith("[User]\nbegin 0")).toBe(true);
        expect(text.endsWith('"}]')).toBe(true);
        expect(digest(entries, most)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  test("keeps short parts whole beside a long one", () => {
    const text = digest([user("The code is 4711."), answer(long(5_000)), user("And now?")], 1_000);
    expect(text).toContain("The code is 4711.");
    expect(text).toMatch(/\d+ characters are left out here/);
    expect(text.endsWith("[User]\nAnd now?")).toBe(true);
  });
});

describe("the length that texts are cut to", () => {
  test("is none where all are short enough, and lets together no more through than is wanted", () => {
    expect(longestText([10, 20], 100)).toBeNull();
    expect(longestText([], 100)).toBeNull();
    const longest = longestText([10, 900, 900], 500);
    expect(longest).not.toBeNull();
    expect(10 + 2 * Number(longest)).toBeLessThanOrEqual(500);
    expect(longestText([900], -5)).toBe(32);
  });
});

describe("an answer that leaves no room, refused with its outputs", () => {
  const full = answer(long(5_000), "a");

  test("gives way as the last resort, and the inputs after it stay", () => {
    const entries = [full, output("a", "1"), user("one"), user("two")];
    const plan = planRefused(entries, room, 1);
    expect(plan).toMatchObject({ replaces: 2, longest: null });
    if (plan === null) throw new Error("there is a plan");
    const after = compacted(entries, plan, "s");
    expect(after).toEqual([{ type: "summary", text: "s" }, user("one"), user("two")]);
    expect(toTranscript(after).every(({ type }) => type === "user")).toBe(true);
  });

  test("gives way even where nothing comes after it", () => {
    const plan = planRefused([full, output("a", "1")], room, 1);
    expect(plan).toMatchObject({ replaces: 2 });
  });

  test("stays as long as something else can be shortened", () => {
    const plan = planRefused([full, output("a", long(2_000)), user("one")], room, 1);
    expect(plan).toMatchObject({ replaces: 0, longest: expect.any(Number) });
  });

  test("stays where a summary would gain nothing", () => {
    const entries = [answer("look", "a"), output("a", "1"), user(long(31))];
    expect(entriesTokens(entries)).toBeLessThan(100);
    expect(planRefused([{ type: "summary", text: long(3_000) }, user("hi")], room, 9)?.replaces ?? 0).toBe(0);
    expect(planRefused([user("hi")], room, 1)).toBeNull();
  });
});
