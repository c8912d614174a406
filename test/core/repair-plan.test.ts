import { describe, expect, test } from "vitest";
import { planDeclined, planRepair, repaired, runStart } from "../../core/run/repair-plan.ts";
import { type StoredEntry, toTranscript } from "../../core/run/transcript.ts";

const user = (text: string, input?: string): StoredEntry => ({
  type: "user",
  content: [{ type: "text", text }],
  ...(input === undefined ? {} : { input }),
});
const answer = (...ids: readonly string[]): StoredEntry => ({
  type: "answer",
  native: ids.map((id) => ({ id, sealed: "x" })),
  scripts: ids.map((id) => ({ id, source: "return 1" })),
});
const output = (id: string, text = `printed by ${id}`): StoredEntry => ({
  type: "script",
  id,
  output: text,
  failed: false,
});
const summary: StoredEntry = { type: "summary", text: "What was before." };
const declined: StoredEntry = { type: "declined" };
const long = "lorem ipsum ".repeat(20_000);

/** The conversation after the repair that an objection leads to. */
function mended(entries: readonly StoredEntry[], objection: Parameters<typeof planRepair>[1]): StoredEntry[] {
  const plan = planRepair(entries, objection);
  if (plan === null) throw new Error("there is nothing to mend");
  return repaired(entries, plan);
}

describe("sealed reasoning that is not read any more", () => {
  const entries = [user("hi"), answer("a"), output("a"), answer()];

  test("is left out of every answer so far, and of no later one", () => {
    const after = [...mended(entries, { to: "seals" }), user("and"), answer("b")];
    const unsealed = toTranscript(after).flatMap((e) =>
      e.type === "assistant" ? [e.unsealed === true] : [],
    );
    expect(unsealed).toEqual([true, true, false]);
  });

  test("is objected to once: what is left out already cannot be", () => {
    expect(planRepair(mended(entries, { to: "seals" }), { to: "seals" })).toBeNull();
    expect(planRepair([user("hi")], { to: "seals" })).toBeNull();
  });
});

describe("an entry that is not taken", () => {
  const entries = [user("hi"), answer("a", "b"), output("a"), output("b", long), answer(), user("go on")];

  test("is shortened alone when it is an output", () => {
    // The transcript has the answer at 1 and its outputs at 2 and 3.
    const after = mended(entries, { to: "entry", entry: 3 });
    expect(after.map((entry, at) => (at === 3 ? null : entry))).toEqual(
      entries.map((entry, at) => (at === 3 ? null : entry)),
    );
    const short = after[3]?.type === "script" ? after[3].output : "";
    expect(short.length).toBeLessThan(30_000);
    expect(short).toContain("left out");
  });

  test("is told in a note with its outputs when it is an answer", () => {
    const after = mended(entries, { to: "entry", entry: 1 });
    expect(after.map(({ type }) => type)).toEqual(["user", "note", "answer", "user"]);
    expect(toTranscript(after).map(({ type }) => type)).toEqual(["user", "user", "assistant", "user"]);
  });

  test("is left out when it is refused once more, and then there is nothing to mend", () => {
    const once = mended(entries, { to: "entry", entry: 3 });
    const twice = mended(once, { to: "entry", entry: 3 });
    expect(twice[3]).toMatchObject({ type: "script", output: expect.stringMatching(/^\[This is left out/) });
    expect(planRepair(twice, { to: "entry", entry: 3 })).toBeNull();
  });

  test("keeps a user's text when an attachment of the same input is what may be refused", () => {
    const image: StoredEntry = { type: "user", content: [{ type: "text", text: "See" }, { type: "image" }] };
    const [after] = mended([image], { to: "entry", entry: 0 });
    expect(after).toMatchObject({
      content: [{ text: "See" }, { text: expect.stringContaining("left out") }],
    });
  });

  test("is none that the conversation does not have", () => {
    expect(planRepair(entries, { to: "entry", entry: 99 })).toBeNull();
  });
});

describe("an exchange that is declined", () => {
  const before = [user("hello", "inp_1"), answer()];
  const exchange = [user("bad", "inp_2"), answer("a"), output("a"), user("more", "inp_3")];

  test("gives way from the run's first input on, and what was before stays", () => {
    const after = repaired([...before, ...exchange], planDeclined([...before, ...exchange], "inp_2", 2));
    expect(after).toEqual([...before, declined]);
    expect(JSON.stringify(toTranscript(after))).not.toContain("bad");
  });

  test("takes everything with it where two runs before it were declined as well", () => {
    const stuck = [...before, declined, declined, user("harmless", "inp_4")];
    expect(planDeclined(stuck, "inp_4", 2)).toEqual({ kind: "declined", from: 0 });
    expect(planDeclined([...before, declined, user("harmless", "inp_4")], "inp_4", 2)).toMatchObject({
      from: 3,
    });
    expect(planDeclined(stuck, "inp_4", 4)).toMatchObject({ from: 4 });
  });

  test("takes everything where its own entries are in a summary already", () => {
    expect(planDeclined([summary], "inp_2", 2)).toEqual({ kind: "declined", from: 0 });
    expect(runStart([summary, answer("a")], "inp_2")).toBe(1);
  });

  test("begins with the last input where inputs have no ids yet", () => {
    expect(runStart([user("old"), answer(), user("bad"), answer("a")], "inp_9")).toBe(2);
  });
});
