import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CursorScope, decodeCursor, encodeCursor, positions } from "../../core/api/cursor.ts";
import { ApiError } from "../../core/api/error.ts";

const scope: CursorScope = { operation: "get_sessions", of: "prj_1", filter: "tenant/user" };

const refusal = (cursor: string, wanted = scope, position: RegExp = positions.id): string => {
  try {
    decodeCursor(wanted, cursor, position);
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return "accepted";
};

describe("a cursor", () => {
  test("comes back as the position that it was made of", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(
      fc.property(text, text, text, text, (operation, of, filter, position) => {
        const made = { operation, of, filter };
        const cursor = encodeCursor(made, position);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(made, cursor, /^/)).toBe(position);
      }),
    );
  });

  test("is optional", () => {
    expect(decodeCursor(scope, undefined, positions.id)).toBeNull();
  });

  test.each<[string, CursorScope]>([
    ["another operation", { ...scope, operation: "get_agents" }],
    ["another resource", { ...scope, of: "prj_2" }],
    ["another filter", { ...scope, filter: "tenant/other" }],
    ["no filter", { operation: "get_sessions", of: "prj_1" }],
  ])("does not fit %s", (_, other) => {
    expect(refusal(encodeCursor(scope, "ses_1"), other)).toBe("invalid_cursor");
    expect(refusal(encodeCursor(other, "ses_1"))).toBe("invalid_cursor");
  });

  test.each(["", "1", "x'; DROP", "ses_1 ", "99999999999", "-1", "1.5"])(
    "does not hold the position %j",
    (position) => {
      const cursor = encodeCursor(scope, position);
      const form = position === "1" ? positions.id : positions.sequence;
      expect(refusal(cursor, scope, form)).toBe("invalid_cursor");
    },
  );

  test("of garbage is refused, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (garbage) => {
        expect(refusal(garbage)).toBe("invalid_cursor");
      }),
    );
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const value of [null, 1, "x", [], {}, { o: "get_sessions" }, { o: 1, r: "", f: "", k: "" }]) {
      expect(refusal(encoded(value))).toBe("invalid_cursor");
    }
    expect(refusal(encoded({ o: "get_sessions", r: "prj_1", f: "tenant/user", k: "ses_1", extra: 1 }))).toBe(
      "invalid_cursor",
    );
  });
});
