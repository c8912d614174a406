import { describe, expect, it } from "vitest";
import { finish, useRuntime } from "./harness.ts";

const scripts = useRuntime();
const run = (source: string) => finish(scripts.start(source));

describe("the output of a script", () => {
  it("is its printed lines, then what it returned as JSON", async () => {
    const ended = await run("print('one'); console.log('two', 2); return { three: [3] }");
    expect(ended).toEqual({ status: "finished", output: 'one\ntwo 2\n{"three":[3]}', memory: {} });
  });

  it("is empty when nothing is printed or returned", async () => {
    expect(await run("")).toEqual({ status: "finished", output: "", memory: {} });
  });

  it.each(["log", "info", "warn", "error", "debug"])("takes console.%s", async (name) => {
    expect(await run(`console.${name}('x', {})`)).toMatchObject({ output: "x {}" });
  });

  it.each([
    ["undefined", "undefined"],
    ["null", "null"],
    ["-1.5", "-1.5"],
    ["10n", "10n"],
    ["Symbol('s')", "Symbol(s)"],
    ["() => 1", "[function]"],
    ["new TypeError('bad')", "TypeError: bad"],
    ["[1, 'a', null, NaN]", '[1,"a",null,"NaN"]'],
    ["new Map([['k', new Set([1])]])", '[["k",[1]]]'],
    ["new Date(0)", '"1970-01-01T00:00:00.000Z"'],
    ["{ n: 1n, f() {}, e: new Error('x') }", '{"n":"1n","f":"[function]","e":"Error: x"}'],
    [
      "(() => { const o = { a: {} }; o.a.o = o; o.b = o.a; return o })()",
      '{"a":{"o":"[circular]"},"b":{"o":"[circular]"}}',
    ],
    ["{ get x() { throw 1 } }", "[a value that cannot be shown]"],
    ["Object.create(null)", "{}"],
    ["new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } })", "[a value that cannot be shown]"],
  ])("shows %s", async (value, shown) => {
    expect(await run(`print(${value})`)).toMatchObject({ output: shown });
  });

  it("keeps lines of several", async () => {
    expect(await run("print('a\\nb'); print(); print('c')")).toMatchObject({ output: "a\nb\n\nc" });
  });

  it("replaces what text cannot hold", async () => {
    expect(await run("print('a\\u0000b\\ud800c😀')")).toMatchObject({ output: "a\ufffdb\ufffdc😀" });
  });

  it("fits 65,536 characters whole", async () => {
    const ended = await run("print('x'.repeat(65534)); return 1");
    expect(ended.output).toBe(`${"x".repeat(65_534)}\n1`);
  });

  it.each([
    ["one long line", "print('x'.repeat(70000)); return 1"],
    ["many lines", "for (let n = 0; n < 70000; n++) print('x')"],
    ["empty lines", "for (let n = 0; n < 70000; n++) print()"],
    ["a returned value", "print('x'); return 'x'.repeat(65536)"],
    ["one character too many", "print('x'.repeat(65535)); return 1"],
  ])("is cut with a note: %s", async (_, source) => {
    const { output } = await run(source);
    expect(output.length).toBe(65_536);
    expect(
      output.endsWith("\n[The output was cut: 65536 characters are the limit. Print or return less.]"),
    ).toBe(true);
  });

  it("has what was printed before a failure", async () => {
    expect(await run("print('so far'); throw new Error('no')")).toMatchObject({
      status: "failed",
      output: "so far",
    });
  });

  it("has what was printed before the worker had to be killed", async () => {
    const script = await scripts.start("print('so far'); [].indexOf.call({ length: 1e12 }, 1)", {
      cpuMs: 50,
    });
    expect(await script.step([])).toMatchObject({ code: "script_cpu_limit", output: "so far" });
    await script.close();
  });

  it.each([
    ["a BigInt", "1n", '"1n"'],
    ["a circle", "(() => { const o = {}; o.o = o; return o })()", '{"o":"[circular]"}'],
    ["no number", "JSON.parse('[1e400, -1e400]').concat(NaN)", '["Infinity","-Infinity","NaN"]'],
    ["a function", "() => 1", '"[function]"'],
    ["a symbol", "Symbol('s')", '"Symbol(s)"'],
    ["undefined in an array", "[undefined]", '["undefined"]'],
    ["a key __proto__", `JSON.parse('{"__proto__":1}')`, '{"__proto__":1}'],
    ["half of a surrogate pair", "['b\\ud800c']", '["b\\ud800c"]'],
  ])("shows a returned value that JSON does not have: %s", async (_, value, shown) => {
    expect(await run(`return ${value}`)).toMatchObject({ status: "finished", output: shown });
  });
});
