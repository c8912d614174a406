import { invalidRange } from "./errors.ts";

/** A part of an object, first and last byte included. */
export type ByteRange = { readonly start: number; readonly end: number };

/**
 * Reads a Range header. Returns undefined where S3 sends the whole object: no range, a malformed one, several.
 * Throws `InvalidRange` (416) for a range outside the object.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? "");
  if (header === undefined || match === null) return undefined;
  const [, first = "", last = ""] = match;
  if (first === "" && last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  if (start >= size || (first === "" && Number(last) === 0)) throw invalidRange(header, size);
  return { start, end: first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1) };
}
