import fc from "fast-check";
import { expect, it } from "vitest";
import { configBytes, largestAnswer, pageBytes, recordBytes, weigh } from "../../contract/answer-size.ts";
import { encodeCursor } from "../../core/api/cursor.ts";
import { jsonResponse } from "../../functions/http/respond.ts";

it("weighs a value as the answer's own JSON has it", () => {
  const any = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
  fc.assert(
    fc.property(any, (value) => {
      expect(weigh(value) + '""'.length).toBe(Buffer.byteLength(JSON.stringify(JSON.stringify(value))));
    }),
  );
});

it("leaves room for what is around a page, with the longest cursor that there is", () => {
  const scope = { operation: "get_sessions", of: "a".repeat(128), filter: "\u{1f600}".repeat(256) };
  const next_cursor = encodeCursor(scope, `ses_${"a".repeat(64)}`);
  const empty = jsonResponse("r".repeat(64), 200, { data: [], next_cursor });
  expect(Buffer.byteLength(JSON.stringify(empty))).toBeLessThan(largestAnswer - pageBytes);
});

it("takes no record that does not fit a page", () => {
  expect([largestAnswer, pageBytes, recordBytes, configBytes]).toEqual([
    6_291_556, 6_283_364, 6_275_172, 3_137_586,
  ]);
});
