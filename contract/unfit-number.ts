/** Finds the first number of a JSON text that a double does not hold. */
import { type Fit, fitOf, mayNotFit } from "./numbers.ts";

export type UnfitNumber = { readonly fit: Exclude<Fit, "fits">; readonly path: readonly string[] };

/** A list that is open, with the place in it, or an object, with where its latest key stands in the text. */
type Level = { index: number } | { key: readonly [from: number, to: number] };

/** The shortest that does not fit is `1e999`. */
const SHORTEST = 5;

/**
 * Looks at the text and not at values, which know no source: a walk of its characters takes a hundredth of what a
 * reviver does. The text has to be JSON.
 */
export function unfitNumber(json: string): UnfitNumber | null {
  if (!mayNotFit(json)) return null;
  const levels: Level[] = [];
  let text: readonly [from: number, to: number] = [0, 0];
  for (let at = 0; at < json.length; ) {
    const character = json[at] ?? "";
    let end = at + 1;
    if (character === '"') {
      end = endOfText(json, at);
      text = [at, end];
    } else if (character === "-" || isDigit(character)) {
      end = endOfNumber(json, at);
      const fit = end - at < SHORTEST ? "fits" : fitOfSuspect(json.slice(at, end));
      if (fit !== "fits") return { fit, path: levels.map((level) => nameOf(json, level)) };
    } else step(levels, character, text);
    at = end;
  }
  return null;
}

const fitOfSuspect = (source: string): Fit => (mayNotFit(source) ? fitOf(source) : "fits");

/** What a character outside of texts and numbers does to the open lists and objects. */
function step(levels: Level[], character: string, text: readonly [number, number]): void {
  if (character === "[") levels.push({ index: 0 });
  else if (character === "{") levels.push({ key: [0, 0] });
  else if (character === "]" || character === "}") levels.pop();
  else if (character === ",") {
    const level = levels.at(-1);
    if (level !== undefined && "index" in level) level.index += 1;
  } else if (character === ":") levels[levels.length - 1] = { key: text };
}

const nameOf = (json: string, level: Level): string =>
  "index" in level ? String(level.index) : String(JSON.parse(json.slice(...level.key)));

function endOfText(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at + 1;
}

function endOfNumber(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && isOfNumber(json[at] ?? "")) at += 1;
  return at;
}

const isDigit = (character: string): boolean => character >= "0" && character <= "9";
const isOfNumber = (character: string): boolean => isDigit(character) || "+-.eE".includes(character);
