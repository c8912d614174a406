import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { limits } from "../../adapters/script/limits.ts";
import { ScriptMisuse } from "../../adapters/script/run.ts";
import { createScriptRuntime, type ScriptRuntimeOptions } from "../../adapters/script/runtime.ts";
import { never, ok, options, type Runtime } from "./harness.ts";

const runtimes: Runtime[] = [];
const open = (more?: ScriptRuntimeOptions): Runtime => {
  const runtime = createScriptRuntime(more);
  runtimes.push(runtime);
  return runtime;
};
afterEach(() => Promise.all(runtimes.splice(0).map((runtime) => runtime.close())));

/** A worker that says these messages to each step, or runs `step`. */
const badWorker = (step: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads";
      parentPort.on("message", () => { ${step} });
      parentPort.postMessage({ type: "ready" });`)}`,
  );

describe("aborting a script", () => {
  it("rejects a step at once with the reason of the signal", async () => {
    const runtime = open();
    const abort = new AbortController();
    const script = await runtime.start(options("for (;;);", { cpuMs: 60_000 }), abort.signal);
    const step = script.step([]);
    const reason = new Error("enough");
    const started = performance.now();
    abort.abort(reason);
    await expect(step).rejects.toBe(reason);
    expect(performance.now() - started).toBeLessThan(2_000);
    await expect(script.step([])).rejects.toBe(reason);
    await script.close();
    const next = await runtime.start(options("return 1"), never);
    expect(await next.step([])).toMatchObject({ output: "1" });
  });

  it("ends a script that is blocked", async () => {
    const abort = new AbortController();
    const script = await open().start(options("await tools.x()"), abort.signal);
    await script.step([]);
    abort.abort(new Error("enough"));
    await expect(script.step([ok(0)])).rejects.toThrow("enough");
  });

  it("before it starts rejects the start", async () => {
    const reason = new Error("enough");
    await expect(open().start(options("return 1"), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("while its worker starts rejects the start", async () => {
    const abort = new AbortController();
    const starting = open({ spare: 0 }).start(options("return 1"), abort.signal);
    abort.abort(new Error("enough"));
    await expect(starting).rejects.toThrow("enough");
  });
});

describe("a script", () => {
  it("cannot be stepped while a step runs, after its end or after it is closed", async () => {
    const script = await open().start(options("await tools.x(); return 1"), never);
    const first = script.step([]);
    await expect(script.step([])).rejects.toThrow(ScriptMisuse);
    await first;
    await script.step([ok(0)]);
    await expect(script.step([])).rejects.toThrow(ScriptMisuse);
    await script.close();
    await expect(script.step([])).rejects.toThrow(ScriptMisuse);
  });

  it("may be closed at any time, and twice", async () => {
    const runtime = open();
    const blocked = await runtime.start(options("await tools.x()"), never);
    await blocked.step([]);
    await blocked.close();
    await blocked.close();
    const busy = await runtime.start(options("for (;;);"), never);
    const step = busy.step([]);
    await Promise.all([busy.close(), expect(step).rejects.toThrow(ScriptMisuse)]);
  });

  it("runs beside others, each with its own memory, clock and output", async () => {
    const runtime = open();
    const source = (name: string) =>
      `globalThis.mine = "${name}"; await tools.x(); print(mine); return Date.now()`;
    const scripts = await Promise.all(
      [1, 2, 3].map((n) => runtime.start(options(source(`s${n}`), { startedAt: n }), never)),
    );
    await Promise.all(scripts.map((script) => script.step([])));
    const ended = await Promise.all(scripts.map((script, n) => script.step([ok(0, null, n * 10)])));
    expect(ended.map((end) => end.status === "finished" && end.output)).toEqual([
      "s1\n1",
      "s2\n10",
      "s3\n20",
    ]);
  });

  it("finds nothing of the script that its worker ran before", async () => {
    const runtime = open();
    const first = await runtime.start(
      options(
        "globalThis.left = 1; Object.prototype.left = 1; store('left', 1); print('left'); await tools.left()",
      ),
      never,
    );
    await first.step([]);
    await first.close();
    const second = await runtime.start(options("return [typeof left, load('left') === undefined]"), never);
    expect(await second.step([])).toEqual({
      status: "finished",
      output: '["undefined",true]',
      memory: {},
      calls: [],
    });
  });
});

describe("scripts at the same time", () => {
  const full = async (runtime: Runtime) =>
    Promise.all(
      Array.from({ length: limits.scriptsAtOnce }, () => runtime.start(options("await tools.x()"), never)),
    );

  it("are as many as a process carries; the next starts when one is closed", async () => {
    const runtime = open();
    const [first, ...others] = await full(runtime);
    let started = false;
    const next = runtime.start(options("return 1"), never).then((script) => {
      started = true;
      return script;
    });
    await Promise.all(others.map((script) => script.step([])));
    expect(started).toBe(false);
    await first?.close();
    expect(await (await next).step([])).toMatchObject({ output: "1" });
  });

  it("leave the line when they are aborted, and keep nobody behind them waiting", async () => {
    const runtime = open();
    const [first] = await full(runtime);
    const abort = new AbortController();
    const given = runtime.start(options("return 1"), abort.signal);
    const next = runtime.start(options("return 2"), never);
    abort.abort(new Error("enough"));
    await expect(given).rejects.toThrow("enough");
    await first?.close();
    expect(await (await next).step([])).toMatchObject({ output: "2" });
  });

  it("that wait in line are told when the runtime is closed", async () => {
    const runtime = open();
    await full(runtime);
    const next = runtime.start(options("return 1"), never);
    await Promise.all([runtime.close(), expect(next).rejects.toThrow("The script runtime is closed")]);
  });
});

describe("the runtime", () => {
  it("starts nothing more once it is closed", async () => {
    const runtime = open();
    await runtime.close();
    await expect(runtime.start(options("return 1"), never)).rejects.toThrow("The script runtime is closed");
  });

  it("says so when its workers cannot start", async () => {
    const runtime = open({ workerUrl: new URL("./missing-worker.mjs", import.meta.url) });
    await expect(runtime.start(options("return 1"), never)).rejects.toThrow(
      /workers cannot start.*missing-worker/,
    );
  });

  it("lets the process end while workers are idle, and knows no time zone but UTC", async () => {
    const child = new URL("./idle-child.ts", import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [child], {
      env: { TZ: "America/New_York" },
      timeout: 30_000,
    });
    expect(stdout).toBe(
      '[0,0,"1970-01-01T00:00:00.000Z","Thu Jan 01 1970 00:00:00 GMT+0000",1782864000000]\n',
    );
  });
});

describe("a worker that does not keep to its protocol", () => {
  it.each([
    ["says what none may say", 'parentPort.postMessage({ type: "finished", memory: { a: 1 } })'],
    [
      "gives arguments that are not JSON",
      'parentPort.postMessage({ type: "blocked", usedMs: 0, calls: [{ ordinal: 0, tool: "x", arguments: "{" }] })',
    ],
    ["ends", "process.exit(0)"],
    ["throws", 'throw new Error("broken")'],
  ])("and %s fails its script only", async (_, step) => {
    const script = await open({ workerUrl: badWorker(step) }).start(options("return 1"), never);
    expect(await script.step([])).toMatchObject({ status: "failed", code: "script_error" });
    await script.close();
  });

  it("and runs out of its heap fails its script for its memory", async () => {
    const hog = badWorker("let all = null; for (;;) all = { all, text: [0.5] }");
    const script = await open({ workerUrl: hog }).start(options("return 1", { cpuMs: 60_000 }), never);
    expect(await script.step([])).toMatchObject({ status: "failed", code: "script_memory_limit" });
    await script.close();
  });

  it("and never answers is ended by the host's clock", async () => {
    const script = await open({ workerUrl: badWorker("for (;;);") }).start(
      options("return 1", { cpuMs: 100 }),
      never,
    );
    expect(await script.step([])).toMatchObject({ status: "failed", code: "script_cpu_limit", output: "" });
    await script.close();
  });
});
