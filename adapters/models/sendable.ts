/**
 * Makes what a model wrote acceptable to the provider that gets it back: whatever a request holds of it has to pass
 * the provider's own checks, or every later request of the session is refused. The same item always gives the same.
 */
import { parseArguments } from "./script.ts";

/** Names of tools that both providers take: `^[a-zA-Z0-9_-]{1,64}$`. */
const LONGEST_NAME = 64;
/** Levels of arrays and objects in an item: nothing real nests deeper, and much deeper JSON cannot be written. */
export const DEEPEST = 200;
/** A string in arguments that are too long keeps this much of its beginning. */
const KEPT_CHARACTERS = 1_000;

/** The name of a call as it may stand in a request: what a model invented with characters that none may have. */
export function sendableName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, "_").slice(0, LONGEST_NAME) || "unnamed";
}

/** The text, with its end left out where it has more than `most` characters. */
export function boundedText(text: string, most: number): string {
  if (text.length <= most) return text;
  const note = (left: number) => `\n[${left} characters are left out here.]`;
  const head = text.slice(0, most - note(text.length).length);
  return (head + note(text.length - head.length)).toWellFormed();
}

/** Arguments of a call as JSON of at most `most` characters: long strings in them keep their beginning. */
export function boundedArguments(json: string, most: number): string {
  if (json.length <= most) return json;
  const short = Object.entries(parseArguments(json) ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? boundedText(value, KEPT_CHARACTERS) : value,
  ]);
  const bounded = JSON.stringify(Object.fromEntries(short));
  return bounded.length <= most ? bounded : "{}";
}
