import type { Json } from "../../contract/json.ts";
import { isPlain, isPlainText, wellFormedText } from "../../contract/nul.ts";
import { type Fit, fitOf, mayNotFit } from "../../contract/numbers.ts";
import { ApiError } from "../../core/api/error.ts";

type Place = { readonly holder: object; readonly key: string };

const problems = {
  "too large": "A number is larger than a double holds. Send it as a string.",
  "another integer": "An integer of this size would be rounded. Send it as a string.",
} as const satisfies Record<Exclude<Fit, "fits">, string>;

/** The longest place that an error names. Keys are the client's own. */
const SHOWN_PLACE = 200;

/**
 * Parses JSON that nests no deeper than the call stack is. Throws `invalid_json`, and `invalid_request` with its place
 * for what could not be given back as it was sent: a number that a double does not hold, a NUL, a lone surrogate.
 */
export function parseJson(text: string): Json {
  const value = mayNotFit(text) ? parseNumbers(text) : parse(text);
  if (isPlain(value)) return value;
  throw refusal(
    unstorable(value) ?? [],
    "Text must not contain the NUL character or half of a surrogate pair.",
  );
}

type Reviver = (this: object, key: string, value: unknown, context: { readonly source?: string }) => unknown;
/** As engines have it since they tell a reviver the source. */
type Parse = (text: string, reviver?: Reviver) => Json;

function parse(text: string, reviver?: Reviver): Json {
  try {
    return (JSON.parse as Parse)(text, reviver);
  } catch {
    // The parser's message quotes the body.
    throw new ApiError("invalid_json");
  }
}

function parseNumbers(text: string): Json {
  const found: { first: (Place & { readonly problem: string }) | null } = { first: null };
  const value = parse(text, function (key, part, { source }) {
    if (typeof part !== "number" || source === undefined || found.first !== null) return part;
    const fit = fitOf(source);
    if (fit !== "fits") found.first = { holder: this, key, problem: problems[fit] };
    return part;
  });
  if (found.first === null) return value;
  const { holder, key, problem } = found.first;
  throw refusal([...(pathOf(value, holder) ?? []), key], problem);
}

/** The way to a list or an object inside of a value; null where it is not inside. */
function pathOf(value: Json, holder: object): string[] | null {
  if (value === holder) return [];
  if (typeof value !== "object" || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    const path = pathOf(child, holder);
    if (path !== null) return [key, ...path];
  }
  return null;
}

/** The way to the first text, keys included, that storage would not give back. */
function unstorable(value: Json): string[] | null {
  if (typeof value === "string") return isPlainText(value) ? null : [];
  if (typeof value !== "object" || value === null) return null;
  for (const [key, child] of Object.entries(value)) {
    if (!isPlainText(key)) return [key];
    const path = unstorable(child);
    if (path !== null) return [key, ...path];
  }
  return null;
}

function refusal(path: readonly string[], problem: string): ApiError {
  const place = wellFormedText(path.filter((key) => key !== "").join(".")).slice(0, SHOWN_PLACE);
  return new ApiError("invalid_request", place === "" ? problem : `${place}: ${problem}`);
}
