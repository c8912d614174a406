import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../core/api/error.ts";
import { parseJson } from "../../functions/http/parse-json.ts";

/** In a text it makes every number of the body be looked at. */
const suspicious = "1234567890123456";

const refusal = (text: string): string => {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "accepted";
};

describe("JSON that comes in", () => {
  it("is what it says, however it is looked at", () => {
    const any = fc.jsonValue({ maxDepth: 5, stringUnit: "grapheme" });
    fc.assert(
      fc.property(any, (value) => {
        const text = JSON.stringify({ value, ["__proto__"]: value });
        expect(JSON.stringify(parseJson(text))).toBe(text);
        const suspect = JSON.stringify({ suspicious, value, ["__proto__"]: value });
        expect(JSON.stringify(parseJson(suspect))).toBe(suspect);
      }),
    );
  });

  it("is searched for numbers outside of its texts, whatever stands in them", () => {
    const any = fc.jsonValue({ maxDepth: 4, stringUnit: fc.constantFrom(...'\\"[]{},:-1e.', "é") });
    fc.assert(
      fc.property(any, fc.string(), (value, key) => {
        const text = JSON.stringify([value, { [`k${key}`]: [value, "PLACE"], z: value }]);
        const place = `1.k${key}.1: A number is larger`;
        const refused = refusal(text.replace('"PLACE"', "-1e400"));
        expect(refused).toContain(place.slice(0, 200));
      }),
    );
  });

  it.each([
    ["1e400", "invalid_request: A number is larger"],
    ["[1,[2,{}],[3,[1e400]]]", "invalid_request: 2.1.0: A number is larger"],
    ['{"a":[{"b":1},{"b":9007199254740993,"c":1e400}]}', "invalid_request: a.1.b: An integer"],
    ['{"__proto__":{"id":9007199254740993}}', "invalid_request: __proto__.id: An integer"],
    ['{"a":1e400,"a":1}', "invalid_request: a: A number is larger"],
    ['{ "a\\"}" : [ 1, -0.5 , {"b,]": [-1e400] } ] }', 'invalid_request: a"}.2.b,].0: A number is larger'],
    ['{"1e400":"1e400","a":[[],{},"9007199254740993",0.12345678901234567]}', "accepted"],
    ['{"a":"\\ud800"}', "invalid_request: a: Text must not"],
    ['{"a":{"b\\u0000":1}}', "invalid_request: a.b\uFFFD: Text must not"],
    ['"\\udc00"', "invalid_request: Text must not"],
    [`{"a":"${suspicious}"`, "invalid_json: "],
    [`{"${"k".repeat(1_000)}":1e400}`, `invalid_request: ${"k".repeat(200)}: A number`],
  ])("is refused with the place of what could not be given back: %s", (text, start) => {
    expect(refusal(text).slice(0, start.length)).toBe(start);
  });
});
