import * as z from "zod";
import { invalidArgument } from "./errors.ts";
import { compareKeys, type KeyIndex } from "./key-index.ts";
import type { ObjectMetadata } from "./object-file.ts";
import { parameter, type S3Request } from "./request.ts";
import { element, type Xml, xmlDocument } from "./xml.ts";

const MAX_KEYS = 1000;

/** Where a page ended: after a key, or after all keys of a common prefix. */
const cursorSchema = z.union([
  z.strictObject({ key: z.string() }),
  z.strictObject({ prefix: z.string().min(1) }),
]);
type Cursor = z.infer<typeof cursorSchema>;

type Page = {
  readonly objects: ObjectMetadata[];
  readonly prefixes: string[];
  /** Where the next page starts, when there is one. */
  readonly next: Cursor | undefined;
};

type Query = {
  readonly prefix: string;
  readonly delimiter: string;
  readonly maxKeys: number;
  readonly after: Cursor | undefined;
};

/** Answers ListObjectsV2 with the XML of one page. Throws `InvalidArgument`. */
export function listObjects(request: S3Request, index: KeyIndex<ObjectMetadata>): string {
  if (parameter(request, "list-type") !== "2")
    throw invalidArgument("list-type", "Only list-type=2 is served");
  const token = parameter(request, "continuation-token");
  const startAfter = parameter(request, "start-after");
  const query: Query = {
    prefix: parameter(request, "prefix") ?? "",
    delimiter: parameter(request, "delimiter") ?? "",
    maxKeys: readMaxKeys(parameter(request, "max-keys")),
    after: token !== undefined ? decodeToken(token) : startAfter ? { key: startAfter } : undefined,
  };
  const page = readPage(index, query);
  return xmlDocument("ListBucketResult", [
    element("Name", request.bucket),
    element("Prefix", query.prefix),
    ...optional("Delimiter", query.delimiter),
    ...optional("StartAfter", startAfter),
    ...optional("ContinuationToken", token),
    element("MaxKeys", query.maxKeys),
    element("KeyCount", page.objects.length + page.prefixes.length),
    element("IsTruncated", page.next !== undefined),
    ...optional("NextContinuationToken", page.next && encodeToken(page.next)),
    ...page.objects.map(contents),
    ...page.prefixes.map((prefix) => element("CommonPrefixes", element("Prefix", prefix))),
  ]);
}

function readPage(index: KeyIndex<ObjectMetadata>, { prefix, delimiter, maxKeys, after }: Query): Page {
  const objects: ObjectMetadata[] = [];
  const prefixes: string[] = [];
  let last: Cursor | undefined;
  let position = Math.max(
    index.search((key) => compareKeys(key, prefix) >= 0),
    after === undefined ? 0 : positionAfter(index, after),
  );
  for (let key = index.at(position); key?.startsWith(prefix); key = index.at(position)) {
    if (objects.length + prefixes.length >= maxKeys) return { objects, prefixes, next: last };
    const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    if (cut >= 0) {
      const common = key.slice(0, cut + delimiter.length);
      last = { prefix: common };
      prefixes.push(common);
    } else {
      const metadata = index.get(key);
      last = { key };
      if (metadata !== undefined) objects.push(metadata);
    }
    position = positionAfter(index, last);
  }
  return { objects, prefixes, next: undefined };
}

function positionAfter(index: KeyIndex<ObjectMetadata>, cursor: Cursor): number {
  if ("key" in cursor) return index.search((key) => compareKeys(key, cursor.key) > 0);
  return index.search((key) => compareKeys(key, cursor.prefix) > 0 && !key.startsWith(cursor.prefix));
}

function contents(metadata: ObjectMetadata): Xml {
  return element("Contents", [
    element("Key", metadata.key),
    element("LastModified", new Date(Math.floor(metadata.lastModified / 1000) * 1000).toISOString()),
    element("ETag", `"${metadata.etag}"`),
    element("Size", metadata.size),
    element("StorageClass", "STANDARD"),
  ]);
}

function readMaxKeys(text: string | undefined): number {
  if (text === undefined) return MAX_KEYS;
  if (!/^\d{1,9}$/.test(text)) throw invalidArgument("max-keys", "max-keys must be a number from 0 on");
  return Math.min(Number(text), MAX_KEYS);
}

function optional(name: string, value: string | undefined): Xml[] {
  return value ? [element(name, value)] : [];
}

function encodeToken(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url");
}

function decodeToken(token: string): Cursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(token, "base64url").toString("utf8")));
  } catch {
    throw invalidArgument("continuation-token", "The continuation token provided is incorrect");
  }
}
