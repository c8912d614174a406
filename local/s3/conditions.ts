import { noSuchKey, notImplemented, preconditionFailed } from "./errors.ts";

/** What conditions look at. `etag` without quotes, `lastModified` in ms. */
export type Version = { readonly etag: string; readonly lastModified: number };

type Headers = ReadonlyMap<string, string>;

/**
 * Applies the conditions of a read in the order of RFC 9110. Returns "not-modified" for a 304.
 * Throws `PreconditionFailed` (412).
 */
export function checkRead(headers: Headers, version: Version): "send" | "not-modified" {
  const ifMatch = headers.get("if-match");
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, version.etag)) throw preconditionFailed("If-Match");
  } else if (isLater(version, headers.get("if-unmodified-since"))) {
    throw preconditionFailed("If-Unmodified-Since");
  }
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== undefined) return matches(ifNoneMatch, version.etag) ? "not-modified" : "send";
  return isLater(version, headers.get("if-modified-since")) === false ? "not-modified" : "send";
}

/**
 * Applies the conditions of a write to what is stored now. Throws `PreconditionFailed` (412), `NoSuchKey` (404, an
 * If-Match without an object) or `NotImplemented` (If-None-Match with anything but `*`, as S3 does).
 */
export function checkWrite(headers: Headers, key: string, stored: Version | undefined): void {
  const ifNoneMatch = headers.get("if-none-match");
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== "*") {
    throw notImplemented("If-None-Match with an ETag on a write");
  }
  if (ifNoneMatch !== undefined && stored !== undefined) throw preconditionFailed("If-None-Match");
  const ifMatch = headers.get("if-match");
  if (ifMatch === undefined) return;
  if (stored === undefined) throw noSuchKey(key);
  if (!matches(ifMatch, stored.etag)) throw preconditionFailed("If-Match");
}

/** True when an ETag list (`*`, `"a"`, `W/"a", "b"`, or unquoted as some clients send it) holds the ETag. */
export function matches(list: string, etag: string): boolean {
  return list.split(",").some((item) => {
    const value = item.trim().replace(/^W\//, "");
    return value === "*" || value === etag || value === `"${etag}"`;
  });
}

/** Undefined when there is no usable date; HTTP dates have whole seconds. */
function isLater(version: Version, date: string | undefined): boolean | undefined {
  const time = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? undefined : Math.floor(version.lastModified / 1000) > Math.floor(time / 1000);
}
