import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, jsonEquals } from "../../contract/canonical.ts";
import type { Json } from "../../contract/json.ts";
import { containsNul, isDeeperThan, replaceNul, wellFormed } from "../../contract/nul.ts";

const parse = (text: string): Json => JSON.parse(text);
const anyJson = fc.jsonValue({ stringUnit: "binary" }).map((value) => parse(JSON.stringify(value)));
/** Deeper than recursion reaches. */
const deep = (inner: string): Json => parse(`${"[".repeat(300_000)}${inner}${"]".repeat(300_000)}`);

describe("containsNul", () => {
  it.each([
    ["a text", '"a\\u0000"'],
    ["a list", '["a",["\\u0000"]]'],
    ["a value", '{"a":{"b":"\\u0000"}}'],
    ["a key", '[{"a\\u0000":1}]'],
  ])("finds NUL in %s", (_, text) => {
    expect(containsNul(parse(text))).toBe(true);
  });

  it.each(["null", "0", '"\\\\u0000"', '{"a":["\\u0001"]}', "[]"])("finds none in %s", (text) => {
    expect(containsNul(parse(text))).toBe(false);
  });

  it("finds NUL at any depth", () => {
    expect(containsNul(deep('"\\u0000"'))).toBe(true);
    expect(containsNul(deep('""'))).toBe(false);
  });
});

describe("replaceNul", () => {
  it("puts U+FFFD in strings and keys and leaves the rest", () => {
    expect(replaceNul(parse('{"a\\u0000":["\\u0000b",1,null,{"c":true}]}'))).toEqual({
      "a\uFFFD": ["\uFFFDb", 1, null, { c: true }],
    });
  });

  it("gives a value without NUL back itself", () => {
    const value = parse('{"a":["b"]}');
    expect(replaceNul(value)).toBe(value);
  });

  it("keeps a key named __proto__", () => {
    expect(JSON.stringify(replaceNul(parse('{"__proto__":{"a":"\\u0000"}}')))).toBe(
      '{"__proto__":{"a":"\uFFFD"}}',
    );
  });

  it("keeps the order of keys", () => {
    expect(JSON.stringify(replaceNul(parse('{"b":{"x":1},"a":"\\u0000","c":[{}]}')))).toBe(
      '{"b":{"x":1},"a":"\uFFFD","c":[{}]}',
    );
  });

  it("reaches any depth", () => {
    expect(containsNul(replaceNul(deep('"\\u0000"')))).toBe(false);
  });
});

describe("wellFormed", () => {
  it("replaces lone surrogates and NUL, and keeps pairs", () => {
    expect(wellFormed(["\uD800", "a\uDC00\0", "🦊", { "\uD800k": 1 }])).toEqual([
      "\uFFFD",
      "a\uFFFD\uFFFD",
      "🦊",
      { "\uFFFDk": 1 },
    ]);
  });

  it("leaves only what UTF-8 carries unchanged", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = JSON.stringify(wellFormed(value));
        expect(Buffer.from(text, "utf8").toString("utf8")).toBe(text);
        expect(containsNul(parse(text))).toBe(false);
      }),
    );
  });
});

describe("isDeeperThan", () => {
  it.each([
    ["1", 0, false],
    ["[]", 0, true],
    ["[]", 1, false],
    ['{"a":[1]}', 1, true],
    ['{"a":[1]}', 2, false],
  ])("of %s and %d is %s", (text, levels, expected) => {
    expect(isDeeperThan(parse(text), levels)).toBe(expected);
  });

  it("stops at any depth", () => {
    expect(isDeeperThan(deep("1"), 1_000)).toBe(true);
  });
});

describe("canonicalJson", () => {
  it("sorts keys at every level and keeps the order of lists", () => {
    expect(canonicalJson(parse('{"b":[{"d":1,"c":2},[]],"a":"x\\n","10":{},"9":null}'))).toBe(
      '{"10":{},"9":null,"a":"x\\n","b":[{"c":2,"d":1},[]]}',
    );
  });

  it("means the same as the value", () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        expect(parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it("reaches any depth", () => {
    expect(canonicalJson(deep("1"))).toHaveLength(600_001);
  });
});

describe("jsonEquals", () => {
  it("ignores the order of keys and no other difference", () => {
    expect(jsonEquals(parse('{"a":1,"b":[1,2]}'), parse('{"b":[1,2],"a":1.0}'))).toBe(true);
    expect(jsonEquals([1, 2], [2, 1])).toBe(false);
    expect(jsonEquals({ a: null }, {})).toBe(false);
    expect(jsonEquals("1", 1)).toBe(false);
  });
});
