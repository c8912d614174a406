import { describe, expect, it } from "vitest";
import { limits } from "../../adapters/script/limits.ts";
import { ScriptMisuse } from "../../adapters/script/run.ts";
import { finish, ok, STARTED_AT, useRuntime } from "./harness.ts";

const scripts = useRuntime();

describe("calls of a script", () => {
  it("are reported with their ordinals when the script waits for them", async () => {
    const script = await scripts.start(
      "await Promise.all([tools.a({ x: 1 }), tools.b(), tools['c-d']('text')])",
    );
    expect(await script.step([])).toEqual({
      status: "blocked",
      calls: [
        { ordinal: 0, tool: "a", arguments: { x: 1 } },
        { ordinal: 1, tool: "b", arguments: {} },
        { ordinal: 2, tool: "c-d", arguments: "text" },
      ],
    });
    await script.close();
  });

  it("give the script the value they settle with", async () => {
    const source = "const { rows } = await tools.query({ sql: 'x' }); return rows.map((row) => row.id)";
    const ended = await finish(scripts.start(source), { query: () => ({ rows: [{ id: 1 }, { id: 2 }] }) });
    expect(ended).toEqual({ status: "finished", output: "[1,2]", memory: {} });
  });

  it("reject with an Error that has the code and message of the failure", async () => {
    const source = `try { await tools.pay() } catch (error) {
      return [error instanceof Error, error.name, error.code, error.message];
    }`;
    const ended = await finish(scripts.start(source), { pay: () => ({ failure: "card_declined" }) });
    expect(ended).toMatchObject({ output: '[true,"ToolError","card_declined","pay failed"]' });
  });

  it("fail the script with the line of the call when nobody catches", async () => {
    const ended = await finish(scripts.start("const x = 1;\nawait tools.pay();"), {
      pay: () => ({ failure: "card_declined" }),
    });
    expect(ended).toEqual({
      status: "failed",
      code: "script_error",
      message: "ToolError: pay failed [card_declined] (line 2)",
      output: "",
    });
  });

  it("settle out of order", async () => {
    const script = await scripts.start(`const done = [];
      await Promise.all(["a", "b"].map(async (name) => { await tools[name](); done.push(name); }));
      return done;`);
    await script.step([]);
    expect(await script.step([ok(1)])).toEqual({ status: "blocked", calls: [] });
    expect(await script.step([ok(0)])).toMatchObject({ output: '["b","a"]' });
    await script.close();
  });

  it("are all reported by one step, those that the step settles too", async () => {
    const script = await scripts.start("for (let n = 0; n < 3; n++) await tools.next({ n });");
    expect(await script.step([ok(0), ok(1)])).toEqual({
      status: "blocked",
      calls: [0, 1, 2].map((n) => ({ ordinal: n, tool: "next", arguments: { n } })),
    });
    await script.close();
  });

  it("that nobody awaits may fail without failing the script", async () => {
    const source = "tools.audit(); await tools.work(); return 'done'";
    const ended = await finish(scripts.start(source), { audit: () => ({ failure: "down" }) });
    expect(ended).toMatchObject({ status: "finished", output: '"done"' });
  });

  it.each([
    ["finishes", "return 1", { status: "finished", output: "1" }],
    ["throws", "throw new Error('broken')", { status: "failed", code: "script_error" }],
  ])("that nobody awaits are reported when the script %s", async (_, ending, end) => {
    const script = await scripts.start(`await tools.a(); tools.b({ n: 1 }); tools.b({ n: 2 }); ${ending}`);
    await script.step([]);
    expect(await script.step([ok(0)])).toMatchObject({
      ...end,
      calls: [
        { ordinal: 1, tool: "b", arguments: { n: 1 } },
        { ordinal: 2, tool: "b", arguments: { n: 2 } },
      ],
    });
    await script.close();
  });

  it("that a step settled are reported by the step that ends the script", async () => {
    const script = await scripts.start("await tools.a(); await tools.b(); return 1");
    expect(await script.step([ok(0), ok(1)])).toMatchObject({
      status: "finished",
      calls: [{ ordinal: 0 }, { ordinal: 1 }],
    });
    await script.close();
  });

  it.each([
    ["its CPU time", "while (true);", "script_cpu_limit"],
    ["its memory", "const all = []; while (true) all.push(new ArrayBuffer(2 ** 20))", "script_memory_limit"],
  ])("are not sent when the script used up %s, and its error says so", async (_, source, code) => {
    const script = await scripts.start(`tools.a(); ${source}`, { cpuMs: 400 });
    expect(await script.step([])).toMatchObject({
      status: "failed",
      code,
      message: expect.stringMatching(/Calls that it had made and not waited for were not sent\.$/),
      calls: [],
    });
    await script.close();
  });

  it.each([
    ["a function", "() => 1", "tools.x: the arguments are not a JSON value"],
    ["a symbol", "Symbol('s')", "tools.x: the arguments are not a JSON value"],
    ["a BigInt", "1n", "tools.x: the arguments are not a JSON value (TypeError: "],
    [
      "a circle",
      "(() => { const o = {}; o.o = o; return o })()",
      "tools.x: the arguments are not a JSON value (TypeError: ",
    ],
    ["a toJSON that throws", "({ toJSON() { throw new Error('no') } })", "not a JSON value (Error: no)"],
    [
      "a number beyond the largest",
      "JSON.parse('{\"a\":1e400}')",
      '"a" is Infinity: use null, a finite number or text',
    ],
    ["no number", "[1, NaN]", '"1" is NaN: use null, a finite number or text'],
    ["undefined in an array", "[undefined]", '"0" is undefined: use null'],
    ["a function in an object", "({ f() {} })", '"f" is a function: leave it out'],
    [
      "half of a surrogate pair",
      "({ text: 'b\\ud800c' })",
      '"text" has half of a surrogate pair: use text.toWellFormed()',
    ],
    [
      "a key with half of one",
      "({ 'b\\ud800c': 1 })",
      "has half of a surrogate pair: use text.toWellFormed()",
    ],
    ["text with NUL", "({ text: 'a\\u0000b' })", '"text" has the character NUL: take it out'],
    [
      "a key __proto__",
      `JSON.parse('{"a":{"__proto__":{"admin":true}}}')`,
      '"__proto__" is a reserved name: choose another',
    ],
    ["500,001 values", "Array(500).fill(Array(1000).fill(1))", "have at most 500000 values in all"],
    ["129 levels", "JSON.parse('['.repeat(129) + ']'.repeat(129))", "nest deeper than 128 levels"],
  ])("reject with a TypeError for arguments that are %s", async (_, value, message) => {
    const source = `const call = tools.x(${value});
      try { await call } catch (error) { return { type: error instanceof TypeError, message: error.message } }`;
    const ended = await finish(scripts.start(source));
    expect(JSON.parse(ended.output)).toEqual({ type: true, message: expect.stringContaining(message) });
  });

  it("keep what JSON has: -0 is 0, and a property that is undefined is not there", async () => {
    const script = await scripts.start(
      "await tools.x({ zero: -0, most: Number.MAX_VALUE, none: undefined, pair: '\\ud83d\\ude00', at: new Date(0) })",
    );
    const progress = await script.step([]);
    const [call] = progress.status === "blocked" ? progress.calls : [];
    expect(JSON.stringify(call?.arguments)).toBe(
      `{"zero":0,"most":${Number.MAX_VALUE},"pair":"\u{1f600}","at":"1970-01-01T00:00:00.000Z"}`,
    );
    await script.close();
  });

  it("give back text with NUL and lone surrogates as it is", async () => {
    const ended = await finish(scripts.start("return (await tools.x()) === 'a\\u0000b\\ud800c'"), {
      x: () => "a\0b\ud800c",
    });
    expect(ended).toMatchObject({ output: "true" });
  });

  it(`wait ${limits.waitingCalls} at one time at most`, async () => {
    const ended = await finish(
      scripts.start(`const all = await Promise.allSettled(Array.from({ length: 1001 }, () => tools.x()));
        return [all[999].status, all[1000].reason.message];`),
    );
    expect(JSON.parse(ended.output)).toEqual([
      "fulfilled",
      "at most 1000 calls wait at one time: await some before you make more",
    ]);
  });

  it("have 8 Mi characters of arguments in all at most", async () => {
    const ended = await finish(
      scripts.start(`const half = "x".repeat(4194302); await tools.x(half); await tools.x(half);
        try { await tools.x() } catch (error) { return error.message }`),
    );
    expect(ended.output).toBe('"the arguments of a script\'s calls have at most 8388608 characters in all"');
  });
});

describe("tools", () => {
  it("has a function of every name but the two that the language asks for", async () => {
    const source = "const t = await tools; return [typeof t.anything, typeof t.then, JSON.stringify(t)]";
    expect(await finish(scripts.start(source))).toMatchObject({ output: '["function","undefined","{}"]' });
  });
});

describe("a settlement that fits no waiting call", () => {
  it.each([
    ["an unknown ordinal", [ok(1)]],
    ["a call that is settled already", [ok(0), ok(0)]],
  ])("is refused: %s", async (_, settlements) => {
    const script = await scripts.start("await tools.a(); await tools.b()");
    await expect(script.step(settlements.slice(0, -1).concat(settlements.slice(-1)))).rejects.toSatisfy(
      (error) => error instanceof ScriptMisuse && /no call [01] waits/.test(error.message),
    );
    await script.close();
  });

  it("does not matter after the end of the script", async () => {
    const script = await scripts.start("return await Promise.race([tools.a(), tools.b()])");
    const progress = await script.step([ok(1, "b", STARTED_AT), ok(0, "a", STARTED_AT)]);
    expect(progress).toMatchObject({ status: "finished", output: '"b"' });
    await script.close();
  });
});
