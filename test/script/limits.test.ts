import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { finish, ok, useRuntime } from "./harness.ts";

const scripts = useRuntime();

/** The first step of a script, with the time it took and the CPU time of all threads of this process. */
const timed = async (source: string, cpuMs: number) => {
  const script = await scripts.start(source, { cpuMs });
  const [started, before] = [performance.now(), process.cpuUsage()];
  const progress = await script.step([]);
  const elapsedMs = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  await script.close();
  return { progress, elapsedMs, usedMs: (user + system) / 1_000 };
};

const cpuLimit = {
  status: "failed",
  code: "script_cpu_limit",
  message:
    "The script used up its 400 ms of CPU time. Do less work in one script. Calls that it had made and not waited for were not sent.",
};
const memoryLimit = { status: "failed", code: "script_memory_limit" };

describe("the CPU budget", () => {
  it.each([
    ["a loop", "for (;;);"],
    ["a loop of awaits", "for (;;) await null;"],
    ["a loop that catches everything", "for (;;) { try { for (;;); } catch {} finally { continue } }"],
    ["a regular expression", "/^(a+)+$/.test('a'.repeat(50) + 'b')"],
  ])("ends %s when it is used up", async (_, source) => {
    const { progress, usedMs } = await timed(source, 400);
    expect(progress).toMatchObject(cpuLimit);
    expect(usedMs).toBeGreaterThan(390);
    expect(usedMs).toBeLessThan(900);
  });

  it("ends native code that looks at no clock, within a second of the host's", async () => {
    const { progress, elapsedMs } = await timed("[].indexOf.call({ length: 1e12 }, 1)", 400);
    expect(progress).toMatchObject(cpuLimit);
    expect(elapsedMs).toBeGreaterThan(400);
    expect(elapsedMs).toBeLessThan(3_000);
  });

  it("ends promises that breed, by whichever limit comes first", async () => {
    const source =
      "const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f(); await tools.x()";
    const { progress } = await timed(source, 400);
    expect(progress).toHaveProperty("code", expect.stringMatching(/^script_(cpu|memory)_limit$/));
  });

  it("counts all steps of a script together", async () => {
    const script = await scripts.start("for (;;) { for (let n = 0; n < 2e5; n++); await tools.next() }", {
      cpuMs: 400,
    });
    let progress = await script.step([]);
    let steps = 0;
    for (; progress.status === "blocked"; steps += 1) progress = await script.step([ok(steps)]);
    expect(progress).toMatchObject(cpuLimit);
    expect(steps).toBeGreaterThan(3);
    await script.close();
  });

  it("does not count the time that tools take", async () => {
    const script = await scripts.start("await tools.slow(); return 'done'", { cpuMs: 100 });
    await script.step([]);
    await sleep(1_200);
    expect(await script.step([ok(0)])).toMatchObject({ status: "finished", output: '"done"' });
    await script.close();
  });
});

describe("the memory of a script", () => {
  it.each([
    ["arrays", "const all = []; for (;;) all.push(Array(1000).fill(1))"],
    ["objects", "const all = []; for (;;) all.push({ a: 1 })"],
    ["strings", "const all = []; for (;;) all.push('x'.repeat(1e5) + all.length)"],
    ["buffers", "const all = []; for (;;) all.push(new Uint8Array(1e5))"],
    ["one large buffer", "return new ArrayBuffer(1e9).byteLength"],
    ["maps", "const map = new Map(); for (let n = 0; ; n++) map.set(n, {})"],
    ["closures", "let f = () => {}; for (;;) { const g = f; f = () => g; }"],
    ["promises", "const all = []; for (;;) all.push(new Promise(() => {}))"],
    ["what it stores", "const big = Array(1e6).fill(123456789); store('k', [big, big, big])"],
    ["text that is brought in", "const all = []; for (;;) all.push(await tools.page())"],
  ])("is bounded: %s", async (_, source) => {
    const ended = await finish(scripts.start(source, { cpuMs: 20_000 }), { page: () => "x".repeat(500_000) });
    expect(ended).toMatchObject(memoryLimit);
  });

  it("is over for good, whatever the script catches", async () => {
    const source = "try { const all = []; for (;;) all.push([1, 2, 3]) } catch {} return 'fine'";
    expect(await finish(scripts.start(source, { cpuMs: 20_000 }))).toMatchObject(memoryLimit);
  });

  it("holds some 20 MiB", async () => {
    const source =
      "const all = []; for (let n = 0; n < 20; n++) all.push(new Uint8Array(2 ** 20)); return all.length";
    expect(await finish(scripts.start(source))).toMatchObject({ status: "finished", output: "20" });
  });

  it("is the whole 32 MiB for each script, one after another", async () => {
    const source =
      "const all = []; for (let n = 0; n < 20; n++) all.push(new Uint8Array(2 ** 20).fill(1)); return 1";
    for (let n = 0; n < 12; n += 1)
      expect(await finish(scripts.start(source))).toMatchObject({ output: "1" });
  });
});
