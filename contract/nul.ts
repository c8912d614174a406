/**
 * Characters that stored text must not have. Everything here walks with a list of its own instead of
 * recursion: a 16 MiB body can nest arrays millions of levels deep, more than any call stack holds.
 */
import type { Json, JsonObject } from "./json.ts";

type Container = readonly Json[] | JsonObject;
type Level = { readonly value: Container; readonly depth: number };

/** True for text that storage and UTF-8 carry as it is: without NUL and without half of a surrogate pair. */
export const isPlainText = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** True when that holds for every text of the value, object keys included. */
export const isPlain = (json: Json): boolean => !someText(json, (text) => !isPlainText(text));

/** True when a string anywhere in the value, object keys included, has the NUL character. */
export function containsNul(json: Json): boolean {
  return someText(json, (text) => text.includes("\0"));
}

/** U+FFFD in place of every NUL, in strings and keys. Gives the value itself back when it has none. */
export function replaceNul(json: Json): Json {
  return containsNul(json) ? mapText(json, withoutNul) : json;
}

/**
 * What UTF-8 can carry and storage takes: U+FFFD in place of every NUL and every lone surrogate, in strings
 * and keys. Keys that become equal are merged, the last one wins. Gives the value itself back when it is fine.
 */
export function wellFormed(json: Json): Json {
  return someText(json, (text) => wellFormedText(text) !== text) ? mapText(json, wellFormedText) : json;
}

/** The text with U+FFFD in place of every NUL and every lone surrogate. */
export function wellFormedText(text: string): string {
  return withoutNul(text).toWellFormed();
}

/**
 * True when arrays and objects nest deeper than `levels` (`[]` is one level, `[[]]` two).
 * `JSON.parse` takes any depth, `JSON.stringify` and most recursive code do not: check before passing a body on.
 */
export function isDeeperThan(json: Json, levels: number): boolean {
  const pending: Level[] = isContainer(json) ? [{ value: json, depth: 1 }] : [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (depth > levels) return true;
    for (const child of Object.values(value))
      if (isContainer(child)) pending.push({ value: child, depth: depth + 1 });
  }
  return false;
}

function isContainer(value: Json | undefined): value is Container {
  return typeof value === "object" && value !== null;
}

function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}

function someText(json: Json, test: (text: string) => boolean): boolean {
  if (typeof json === "string") return test(json);
  const pending: Container[] = isContainer(json) ? [json] : [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!Array.isArray(next) && Object.keys(next).some(test)) return true;
    for (const child of Object.values<Json>(next)) {
      if (typeof child === "string" && test(child)) return true;
      if (isContainer(child)) pending.push(child);
    }
  }
  return false;
}

type Copy = Json[] | { [key: string]: Json };

function mapText(json: Json, change: (text: string) => string): Json {
  const pending: { source: Container; copy: Copy }[] = [];
  const convert = (value: Json): Json => {
    if (typeof value === "string") return change(value);
    if (!isContainer(value)) return value;
    const copy: Copy = Array.isArray(value) ? [] : {};
    pending.push({ source: value, copy });
    return copy;
  };
  const result = convert(json);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, child] of Object.entries<Json>(next.source)) {
      setOwn(next.copy, change(key), convert(child));
    }
  }
  return result;
}

/** Assigns an own property even for the key `__proto__`, for which plain assignment sets the prototype. */
function setOwn(target: Copy, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    Object.assign(target, { [key]: value });
  }
}
