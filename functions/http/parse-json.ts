import type { Json } from "../../contract/json.ts";
import { isPlain, isPlainText, wellFormedText } from "../../contract/nul.ts";
import { type UnfitNumber, unfitNumber } from "../../contract/unfit-number.ts";
import { ApiError } from "../../core/api/error.ts";

const problems = {
  "too large": "A number is larger than a double holds. Send it as a string.",
  "another integer": "An integer of this size would be rounded. Send it as a string.",
} as const satisfies Record<UnfitNumber["fit"], string>;

/** The longest place that an error names. Keys are the client's own. */
const SHOWN_PLACE = 200;

/**
 * Parses JSON that nests no deeper than the call stack is. Throws `invalid_json`, and `invalid_request` with its place
 * for what could not be given back as it was sent: a number that a double does not hold, a NUL, a lone surrogate.
 */
export function parseJson(text: string): Json {
  const value = parse(text);
  const unfit = unfitNumber(text);
  if (unfit !== null) throw refusal(unfit.path, problems[unfit.fit]);
  if (isPlain(value)) return value;
  throw refusal(
    unstorable(value) ?? [],
    "Text must not contain the NUL character or half of a surrogate pair.",
  );
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    // The parser's message quotes the body.
    throw new ApiError("invalid_json");
  }
}

/** The way to the first text, keys included, that storage would not give back. */
function unstorable(value: Json): string[] | null {
  if (typeof value === "string") return isPlainText(value) ? null : [];
  if (typeof value !== "object" || value === null) return null;
  for (const [key, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const name = String(key);
    const path = isPlainText(name) ? unstorable(child) : [];
    if (path !== null) return [name, ...path];
  }
  return null;
}

function refusal(path: readonly string[], problem: string): ApiError {
  const place = wellFormedText(path.join(".")).slice(0, SHOWN_PLACE);
  return new ApiError("invalid_request", place === "" ? problem : `${place}: ${problem}`);
}
