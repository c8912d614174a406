import { describe, expect, it } from "vitest";
import { finish, useRuntime } from "./harness.ts";

const scripts = useRuntime();
const run = (source: string) => finish(scripts.start(source));

describe("a script that fails", () => {
  it.each([
    ["an error", "\n\nthrow new RangeError('too far')", "RangeError: too far (line 3)"],
    [
      "an error in a function",
      "function f() {\n null.x;\n}\n\nf()",
      "TypeError: cannot read property 'x' of null (line 2)",
    ],
    [
      "an error after an await",
      "await null;\nawait undefined;\nmissing()",
      "ReferenceError: 'missing' is not defined (line 3)",
    ],
    [
      "a class of its own",
      "class Bad extends Error { name = 'Bad' } throw new Bad('no')",
      "Bad: no (line 1)",
    ],
    ["a string", "throw 'text'", "Thrown: text"],
    ["an object", "throw { a: 1 }", 'Thrown: {"a":1}'],
    ["nothing", "throw undefined", "Thrown: undefined"],
    ["a rejected promise", "return Promise.reject(new Error('late'))", "Error: late (line 1)"],
    ["an error with no message", "throw new Error()", "Error (line 1)"],
    [
      "an error that lies",
      "const e = new Error('x'); Object.defineProperty(e, 'message', { get() { throw 1 } }); throw e",
      "Error (line 1)",
    ],
    ["recursion", "(function f() { f() })()", "InternalError: stack overflow (line 1)"],
    [
      "a timer",
      "setTimeout(() => {}, 10)",
      "ReferenceError: setTimeout: timers are not available: await a tool instead (line 1)",
    ],
    [
      "a request",
      "await fetch('https://example.com')",
      "ReferenceError: fetch: the network is not available: await a tool instead (line 1)",
    ],
    [
      "require",
      "require('fs')",
      "ReferenceError: require: modules are not available: everything a script has is global (line 1)",
    ],
    ["an import", "await import('node:fs')", "ReferenceError: could not load module 'node:fs'"],
  ])("by %s says so", async (_, source, message) => {
    expect(await run(source)).toEqual({ status: "failed", code: "script_error", message, output: "" });
  });

  it.each([
    ["let x = ;", "line 1"],
    ["let x = 1;\n}", "expecting ')'"],
    ["import fs from 'fs'", "line 1"],
    ["if (", "line 2"],
  ])("to compile has its own code: %j", async (source, line) => {
    const ended = await run(source);
    expect(ended).toMatchObject({ status: "failed", code: "script_syntax_error" });
    expect(ended).toHaveProperty("message", expect.stringContaining(line));
  });

  it("by a syntax error in what it evaluates failed as a script", async () => {
    expect(await run("new Function('let x = ;')")).toMatchObject({ code: "script_error" });
  });

  it("has a message of 2,000 characters at most", async () => {
    const ended = await run("throw new Error('x'.repeat(10000))");
    expect(ended).toHaveProperty("message", expect.stringMatching(/^Error: x+ \(line 1\)$/));
    expect(ended.status === "failed" && ended.message.length).toBe(2_000);
  });

  it("because it waits for nothing is stalled", async () => {
    const stalled = { status: "failed", code: "script_stalled" };
    expect(await run("await new Promise(() => {})")).toMatchObject(stalled);
    expect(await run("await tools.a(); await { then() {} }")).toMatchObject(stalled);
  });

  it("tells nothing of the host in its stacks", async () => {
    const ended = await run(
      "print(new Error('x').stack); try { tools.x().y.z } catch (e) { print(e.stack) }",
    );
    expect(ended.output).not.toMatch(/node|worker|file:|\.ts|\//);
  });
});
