import { planBody, receiveBody } from "./body.ts";
import { checkWrite } from "./conditions.ts";
import { invalidRequest, malformedXml, notImplemented, S3Refusal } from "./errors.ts";
import type { ObjectMetadata } from "./object-file.ts";
import { checksums } from "./read.ts";
import { type Reply, xmlReply } from "./reply.ts";
import type { S3Request } from "./request.ts";
import type { Store } from "./store.ts";
import { element, parseDelete, xmlDocument } from "./xml.ts";

const MAX_OBJECT_BYTES = 64 * 1024 * 1024;
const MAX_DELETE_BYTES = 2 * 1024 * 1024;
const MAX_DELETE_KEYS = 1000;
const MAX_USER_METADATA_BYTES = 2048;
const STORED_HEADERS = [
  "content-type",
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "expires",
];

/** The body of a request; calling `read` is what asks a client that waits (`Expect`) to send it. */
export type BodySource = { read(): AsyncIterable<Buffer> };

/**
 * PutObject. Throws `PreconditionFailed`, `NoSuchKey` (If-Match without an object), `BadDigest` and the other body
 * refusals, `EntityTooLarge` over 64 MiB; then nothing is stored.
 */
export async function putObject(store: Store, request: S3Request, source: BodySource): Promise<Reply> {
  const plan = planBody(request.headers, MAX_OBJECT_BYTES);
  const headers = storedHeaders(request);
  const guard = (stored: ObjectMetadata | undefined) => checkWrite(request.headers, request.key, stored);
  guard(store.bucket(request.bucket)?.get(request.key));
  const incoming = await store.receive();
  try {
    const { size, md5, checksums: checked } = await receiveBody(plan, source.read(), incoming.write);
    const { bucket, key } = request;
    const metadata = { bucket, key, size, etag: md5, lastModified: Date.now(), headers, checksums: checked };
    await incoming.commit(metadata, guard);
    return { status: 200, headers: { etag: `"${md5}"`, ...checksums(metadata) } };
  } finally {
    await incoming.discard();
  }
}

/** DeleteObject: 204 whether or not there was an object. */
export async function deleteObject(store: Store, request: S3Request): Promise<Reply> {
  if (request.headers.has("if-match")) throw notImplemented("If-Match on a delete");
  await store.remove(request.bucket, request.key);
  return { status: 204 };
}

/** DeleteObjects: up to 1,000 keys. Throws `MalformedXML`, `InvalidRequest` without a checksum, body refusals. */
export async function deleteObjects(store: Store, request: S3Request, source: BodySource): Promise<Reply> {
  const plan = planBody(request.headers, MAX_DELETE_BYTES);
  if (plan.contentMd5 === undefined && plan.checksums.size === 0) {
    throw invalidRequest("Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
  }
  const chunks: Buffer[] = [];
  await receiveBody(plan, source.read(), async (chunk) => void chunks.push(chunk));
  const { keys, quiet } = parseDelete(Buffer.concat(chunks).toString("utf8"));
  if (keys.length === 0 || keys.length > MAX_DELETE_KEYS) throw malformedXml();
  for (const key of keys) await store.remove(request.bucket, key);
  const deleted = quiet ? [] : keys.map((key) => element("Deleted", [element("Key", key)]));
  return xmlReply(200, xmlDocument("DeleteResult", deleted));
}

function storedHeaders(request: S3Request): Record<string, string> {
  const stored: Record<string, string> = {};
  let userBytes = 0;
  for (const [name, value] of request.headers) {
    if (name.startsWith("x-amz-meta-")) {
      userBytes += name.length - "x-amz-meta-".length + value.length;
      stored[name] = value;
    } else if (STORED_HEADERS.includes(name)) {
      stored[name] = value;
    }
  }
  if (userBytes > MAX_USER_METADATA_BYTES) {
    const message = `Your metadata headers exceed the maximum allowed metadata size of ${MAX_USER_METADATA_BYTES} bytes`;
    throw new S3Refusal(400, "MetadataTooLarge", message);
  }
  const encoding = (stored["content-encoding"] ?? "").split(",").map((part) => part.trim());
  const kept = encoding.filter((part) => part !== "" && part !== "aws-chunked").join(",");
  if (kept === "") delete stored["content-encoding"];
  else stored["content-encoding"] = kept;
  return stored;
}
