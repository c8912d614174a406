import { closeSync } from "node:fs";
import { checkRead, matches } from "./conditions.ts";
import { noSuchKey } from "./errors.ts";
import type { ObjectMetadata } from "./object-file.ts";
import { type ByteRange, parseRange } from "./range.ts";
import type { Reply } from "./reply.ts";
import { type S3Request, toHeaderValue } from "./request.ts";
import type { Store } from "./store.ts";

/** GetObject. Throws `NoSuchKey`, `PreconditionFailed`, `InvalidRange`. */
export function getObject(store: Store, request: S3Request): Reply {
  const opened = store.open(request.bucket, request.key);
  if (opened === undefined) throw noSuchKey(request.key);
  try {
    const { reply, part } = describe(request, opened.metadata);
    if (part !== undefined && part.end >= part.start)
      return { ...reply, body: { file: opened.file, range: part } };
    closeSync(opened.file);
    return reply;
  } catch (refusal) {
    closeSync(opened.file);
    throw refusal;
  }
}

/** HeadObject. Throws `NoSuchKey`, `PreconditionFailed`, `InvalidRange`. */
export function headObject(store: Store, request: S3Request): Reply {
  const metadata = store.bucket(request.bucket)?.get(request.key);
  if (metadata === undefined) throw noSuchKey(request.key);
  return describe(request, metadata).reply;
}

type Description = { readonly reply: Reply; readonly part: ByteRange | undefined };

function describe(request: S3Request, metadata: ObjectMetadata): Description {
  const validators = {
    etag: `"${metadata.etag}"`,
    "last-modified": new Date(metadata.lastModified).toUTCString(),
  };
  if (checkRead(request.headers, metadata) === "not-modified") {
    return { reply: { status: 304, headers: validators }, part: undefined };
  }
  const range = parseRange(rangeHeader(request, metadata), metadata.size);
  const part = range ?? { start: 0, end: metadata.size - 1 };
  const headers: Record<string, string> = {
    "content-type": "binary/octet-stream",
    ...metadata.headers,
    ...overrides(request),
    ...validators,
    "accept-ranges": "bytes",
    "content-length": String(part.end - part.start + 1),
  };
  if (range !== undefined) headers["content-range"] = `bytes ${range.start}-${range.end}/${metadata.size}`;
  else if (request.headers.get("x-amz-checksum-mode") === "ENABLED")
    Object.assign(headers, checksums(metadata));
  return { reply: { status: range === undefined ? 200 : 206, headers }, part };
}

/** The Range header, unless an If-Range says that the client's part is of another version. */
function rangeHeader(request: S3Request, metadata: ObjectMetadata): string | undefined {
  const ifRange = request.headers.get("if-range");
  return ifRange === undefined || matches(ifRange, metadata.etag) ? request.headers.get("range") : undefined;
}

function overrides(request: S3Request): Record<string, string> {
  const entries = request.query.filter(([name, value]) => name.startsWith("response-") && value !== "");
  return Object.fromEntries(
    entries.map(([name, value]) => [name.slice("response-".length), toHeaderValue(value)]),
  );
}

/** Checksum headers of the whole object, as a PUT and a GET answer them. */
export function checksums(metadata: ObjectMetadata): Record<string, string> {
  const entries = Object.entries(metadata.checksums).map(([name, value]) => [
    `x-amz-checksum-${name}`,
    value,
  ]);
  return entries.length === 0 ? {} : { ...Object.fromEntries(entries), "x-amz-checksum-type": "FULL_OBJECT" };
}
