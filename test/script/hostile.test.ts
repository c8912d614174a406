import { afterAll, describe, expect, it } from "vitest";
import { createScriptRuntime } from "../../adapters/script/runtime.ts";
import type { ScriptProgress } from "../../core/ports/script.ts";
import { never, options } from "./harness.ts";
import { hostile } from "./hostile-scripts.ts";

const runtime = createScriptRuntime();
afterAll(() => runtime.close());

/** Settles every call with an object, up to a number of steps. */
async function run(source: string): Promise<ScriptProgress> {
  const script = await runtime.start(options(source, { cpuMs: 200 }), never);
  try {
    let progress = await script.step([]);
    for (let step = 0; progress.status === "blocked" && step < 20; step += 1) {
      const settlements = progress.calls.map(({ ordinal }) => ({
        ordinal,
        at: ordinal,
        ok: true as const,
        value: { ordinal },
      }));
      progress = await script.step(settlements);
    }
    return progress;
  } finally {
    await script.close();
  }
}

const healthy = async () =>
  expect(await run("return [1, 2].map((n) => n * 2)")).toMatchObject({ output: "[2,4]" });

describe("hostile scripts, one after another", () => {
  const before = process.memoryUsage().rss;

  it.each(hostile)("$title", async ({ source, ends }) => {
    const progress = await run(source);
    const end = progress.status === "failed" ? progress.code : progress.status;
    expect(ends).toContain(end);
    if (progress.status !== "blocked") expect(progress.output.length).toBeLessThanOrEqual(65_536);
    if (progress.status === "failed") expect(progress.message.length).toBeLessThanOrEqual(2_000);
    // Nothing of the host is in what a script can say.
    expect(JSON.stringify(progress)).not.toMatch(/node:internal|wasm-function|file:\/\/|node_modules/);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("are at least 36 and leave a runtime that works", async () => {
    expect(hostile.length).toBeGreaterThanOrEqual(36);
    for (let n = 0; n < 5; n += 1) await healthy();
  });

  it("that take memory end the same way when there are 24 at once", async () => {
    const greedy = hostile.filter(({ ends }) => ends.includes("script_memory_limit"));
    const taken = Array.from({ length: 24 }, (_, n) => greedy[Math.floor((n * greedy.length) / 24)]);
    const progress = await Promise.all(taken.map((attack) => run(attack?.source ?? "")));
    for (const [n, end] of progress.entries()) {
      // Beside others a script may use up its time where it would have used up its memory alone.
      expect([...(taken[n]?.ends ?? []), "script_cpu_limit"]).toContain(
        end.status === "failed" ? end.code : end.status,
      );
    }
    await healthy();
  });

  it("leave the memory of the process bounded", () => {
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
  });
});
