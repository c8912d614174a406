import { describe, expect, it } from "vitest";
import { finish, useRuntime } from "./harness.ts";

const scripts = useRuntime();

describe("store and load", () => {
  it("keep JSON values from one script to the next", async () => {
    const first = await finish(scripts.start("store('a', { x: [1, null] }); store('b', 'text')"));
    expect(first).toEqual({ status: "finished", output: "", memory: { a: { x: [1, null] }, b: "text" } });
    const memory = first.status === "finished" ? first.memory : {};
    const second = await finish(
      scripts.start("return [load('a'), load('b'), load('c') === undefined]", { memory }),
    );
    expect(second).toMatchObject({ output: '[{"x":[1,null]},"text",true]', memory });
  });

  it("give copies", async () => {
    const source = "const v = { n: 1 }; store('v', v); v.n = 2; load('v').n = 3; return load('v')";
    expect(await finish(scripts.start(source))).toMatchObject({ output: '{"n":1}', memory: { v: { n: 1 } } });
  });

  it("keep the place of a key that is stored again and remove what is stored as undefined", async () => {
    const ended = await finish(
      scripts.start("store('a', 3); store('b', undefined); store('c', 4)", { memory: { a: 1, b: 2 } }),
    );
    expect(JSON.stringify(ended.status === "finished" && ended.memory)).toBe('{"a":3,"c":4}');
  });

  it("store nothing when the script fails", async () => {
    const ended = await finish(scripts.start("store('a', 1); throw new Error('no')"));
    expect(ended).not.toHaveProperty("memory");
  });

  it("keep keys with quotes and names of prototypes harmless", async () => {
    const source = `store('a"b', { constructor: 1, y: 2 }); return load('a"b').y`;
    expect(await finish(scripts.start(source))).toMatchObject({
      output: "2",
      memory: { 'a"b': { constructor: 1, y: 2 } },
    });
  });

  it.each([
    [
      "a value over 262,144 characters",
      "store('k', 'x'.repeat(262143))",
      "RangeError: store(key, value): a value has",
    ],
    [
      "a value that is not JSON",
      "store('k', () => 1)",
      "TypeError: store(key, value): the value is a function: leave it out",
    ],
    [
      "a number that JSON does not have",
      "store('k', { a: NaN })",
      'TypeError: store(key, value): the value: "a" is NaN: use null, a finite number or text',
    ],
    [
      "a key __proto__ inside",
      `store('k', JSON.parse('{"__proto__":{"x":1}}'))`,
      'TypeError: store(key, value): the value: "__proto__" is a reserved name: choose another',
    ],
    [
      "a key with NUL",
      "store('a\\u0000b', 1)",
      "TypeError: store(key, value): the key has the character NUL: take it out",
    ],
    ["a circle", "const o = {}; o.o = o; store('k', o)", "TypeError: circular reference"],
    ["a key that is no string", "store(1, 1)", "TypeError: a key of store and load is a string"],
    [
      "the key __proto__",
      "store('__proto__', 1)",
      'RangeError: store(key, value): the key "__proto__" is reserved',
    ],
    [
      "too many levels",
      "store('k', JSON.parse('['.repeat(129) + ']'.repeat(129)))",
      "RangeError: store(key, value): the value nests",
    ],
    ["a load without a key", "load()", "TypeError: a key of store and load is a string"],
  ])("throw for %s, and the script can go on", async (_, source, message) => {
    const caught = `try { ${source} } catch (error) { return error.name + ": " + error.message }`;
    const ended = await finish(scripts.start(caught));
    expect(ended).toMatchObject({ status: "finished", memory: {} });
    expect(JSON.parse(ended.output)).toContain(message);
  });

  it("take a value of exactly 262,144 characters", async () => {
    expect(await finish(scripts.start("store('k', 'x'.repeat(262142))"))).toMatchObject({
      status: "finished",
    });
  });

  it("hold 1,048,576 characters, keys included", async () => {
    const source = `const value = "x".repeat(262141);
      for (const key of ["a", "b", "c", "d"]) store(key, value);
      let error = null;
      try { store("e", 1) } catch (thrown) { error = thrown.message }
      store("a", 1); store("e", 1);
      return error;`;
    const ended = await finish(scripts.start(source));
    expect(ended).toMatchObject({ status: "finished" });
    expect(ended.output).toContain("all keys and values have at most 1048576 characters");
  });

  it("count what earlier scripts stored", async () => {
    const memory = Object.fromEntries(["a", "b", "c", "d"].map((key) => [key, "x".repeat(262_141)]));
    const ended = await finish(scripts.start("store('e', 1)", { memory }));
    expect(ended).toMatchObject({ status: "failed", code: "script_error" });
  });
});
