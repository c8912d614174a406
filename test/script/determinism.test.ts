import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunningScript, ScriptCall, ScriptProgress, Settlement } from "../../core/ports/script.ts";
import { finish, ok, STARTED_AT, useRuntime } from "./harness.ts";

const scripts = useRuntime();

describe("what a script can see of time and chance", () => {
  it("is the time it started, then the time of the last settlement, never earlier", async () => {
    const script = await scripts.start(`const seen = [Date.now(), new Date().getTime()];
      for (let n = 0; n < 3; n++) { await tools.wait(); seen.push(Date.now() - seen[0]); }
      return seen;`);
    const at = (ordinal: number, later: number) => ok(ordinal, null, STARTED_AT + later);
    const progress = await script.step([at(0, 50), at(1, 20), at(2, 70)]);
    expect(progress).toMatchObject({ output: JSON.stringify([STARTED_AT, STARTED_AT, 50, 50, 70]) });
    await script.close();
  });

  it("is random numbers of its seed", async () => {
    const roll = (seed: string) => finish(scripts.start("return [Math.random(), Math.random()]", { seed }));
    const [first, again, other] = [await roll("a"), await roll("a"), await roll("b")];
    expect(first).toEqual(again);
    expect(first).not.toEqual(other);
    // The numbers are part of every journal: another generator breaks the scripts that are suspended.
    expect(first.output).toBe("[0.16837830391753683,0.47047146269734386]");
  });

  it("is spread over the whole interval", async () => {
    const ended = await finish(
      scripts.start(`const counts = Array(10).fill(0);
        for (let n = 0; n < 10000; n++) counts[Math.floor(Math.random() * 10)]++;
        return counts.every((count) => count > 850 && count < 1150);`),
    );
    expect(ended.output).toBe("true");
  });

  it.each([
    "WeakRef",
    "FinalizationRegistry",
    "SharedArrayBuffer",
    "Atomics",
    "performance",
    "Intl",
    "process",
  ])("is without %s", async (name) => {
    expect(await finish(scripts.start(`return typeof ${name}`))).toMatchObject({ output: '"undefined"' });
  });
});

/** Three loops side by side whose calls depend on chance, time and results, then a race. */
const PROGRAM = `const log = [];
  const loop = async (id) => {
    for (let n = 0; n < 3; n++) {
      const call = tools["tool" + id]({ n, at: Date.now(), roll: Math.random() });
      log.push([id, await call.catch((error) => error.code)]);
      if (Math.random() < 0.4) await tools.extra({ log: log.length }).catch(() => {});
    }
  };
  await Promise.all([loop(0), loop(1), loop(2)]);
  print(await Promise.race([tools.left(), tools.right()]).catch((error) => error.code), new Date().toString());
  return log;`;

/** Runs the program, settling one waiting call after another as `picks` say, and keeps the journal. */
async function record(
  script: RunningScript,
  picks: readonly number[],
): Promise<{ calls: ScriptCall[]; journal: Settlement[]; end: ScriptProgress }> {
  const calls: ScriptCall[] = [];
  const journal: Settlement[] = [];
  const waiting: number[] = [];
  let end = await script.step([]);
  for (let turn = 0; end.status === "blocked"; turn += 1) {
    calls.push(...end.calls);
    waiting.push(...end.calls.map(({ ordinal }) => ordinal));
    const pick = picks[turn % picks.length] ?? 0;
    const [ordinal = 0] = waiting.splice(pick % waiting.length, 1);
    const at = STARTED_AT + ((pick * 31) % 1_000);
    const settlement: Settlement =
      pick % 5 === 0
        ? { ordinal, at, ok: false, error: { code: `e${pick}`, message: "no" } }
        : { ordinal, at, ok: true, value: { pick } };
    journal.push(settlement);
    end = await script.step([settlement]);
  }
  return { calls, journal, end };
}

/** The calls of a script that is not settled to its end. */
async function replay(
  script: RunningScript,
  groups: readonly (readonly Settlement[])[],
): Promise<ScriptCall[]> {
  const calls: ScriptCall[] = [];
  for (const group of groups) {
    const progress = await script.step(group);
    if (progress.status !== "blocked") throw new Error(`the script is ${progress.status} too early`);
    calls.push(...progress.calls);
  }
  return calls;
}

function group(journal: readonly Settlement[], sizes: readonly number[]): Settlement[][] {
  const groups: Settlement[][] = [];
  for (let from = 0, n = 0; from < journal.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 0;
    groups.push(journal.slice(from, from + size));
    from += size;
  }
  return groups;
}

describe("replaying the same settlements", () => {
  it("gives the same calls and the same end in any grouping", async () => {
    const picks = fc.array(fc.nat({ max: 1_000 }), { minLength: 5, maxLength: 40 });
    const sizes = fc
      .array(fc.nat({ max: 6 }), { minLength: 1, maxLength: 8 })
      .filter((all) => all.some((size) => size > 0));
    await fc.assert(
      fc.asyncProperty(picks, sizes, fc.string(), async (order, grouping, seed) => {
        const first = await scripts.start(PROGRAM, { seed });
        const { journal, calls, end } = await record(first, order);
        await first.close();
        expect(end.status).toBe("finished");
        const second = await scripts.start(PROGRAM, { seed });
        expect(await replay(second, group(journal.slice(0, -1), grouping))).toEqual(calls);
        expect(await second.step(journal.slice(-1))).toEqual(end);
        await second.close();
      }),
      { numRuns: 25 },
    );
  });

  it("gives the same when all of a long journal comes at once", async () => {
    const source = "let sum = 0; for (let n = 0; n < 600; n++) sum += (await tools.add({ n })).n; return sum";
    const journal = Array.from({ length: 600 }, (_, n) => ok(n, { n, text: "x".repeat(5_000) }));
    const script = await scripts.start(source);
    const almost = await script.step(journal.slice(0, -1));
    expect(almost.status === "blocked" && almost.calls.map(({ ordinal }) => ordinal)).toEqual(
      Array.from({ length: 600 }, (_, n) => n),
    );
    expect(await script.step(journal.slice(-1))).toMatchObject({ status: "finished", output: "179700" });
    await script.close();
  });
});
