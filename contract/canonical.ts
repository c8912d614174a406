/** One text for every spelling of the same JSON value, for comparing values and for hashing requests. */
import type { Json, JsonObject } from "./json.ts";

/** A list or an object that is being written. An object's values stand in the order of its sorted keys. */
type Frame = { readonly keys: readonly string[] | null; readonly values: readonly Json[]; next: number };

/**
 * JSON text with object keys sorted by code unit and no spaces. Two values give the same text exactly when
 * they are structurally equal: key order does not count, array order does. Takes any depth.
 */
export function canonicalJson(json: Json): string {
  let out = "";
  const frames: Frame[] = [];
  const write = (value: Json): void => {
    if (typeof value !== "object" || value === null) {
      out += JSON.stringify(value);
    } else {
      const frame = frameOf(value);
      out += frame.keys === null ? "[" : "{";
      frames.push(frame);
    }
  };
  write(json);
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const index = frame.next++;
    const value = frame.values[index];
    if (value === undefined) {
      out += frame.keys === null ? "]" : "}";
      frames.pop();
      continue;
    }
    if (index > 0) out += ",";
    if (frame.keys !== null) out += `${JSON.stringify(frame.keys[index])}:`;
    write(value);
  }
  return out;
}

/** True when two JSON values are structurally equal. */
export function jsonEquals(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b);
}

function frameOf(container: readonly Json[] | JsonObject): Frame {
  if (isArray(container)) return { keys: null, values: container, next: 0 };
  const entries = Object.entries(container).sort(([a], [b]) => (a < b ? -1 : 1));
  return { keys: entries.map(([key]) => key), values: entries.map(([, value]) => value), next: 0 };
}

function isArray(container: readonly Json[] | JsonObject): container is readonly Json[] {
  return Array.isArray(container);
}
