import type { IncomingHttpHeaders } from "node:http";
import { invalidRequest, notImplemented, S3Refusal } from "./errors.ts";

/** A path-style S3 request, decoded. `key` is empty for requests to the bucket itself. */
export type S3Request = {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  /** The decoded path, bucket and key together, as it is signed. */
  readonly path: string;
  /** Query parameters in the order sent, decoded. */
  readonly query: readonly (readonly [string, string])[];
  /** Lower-case names. A presigned URL's `x-amz-*` parameters count as headers, as S3 reads them. */
  readonly headers: ReadonlyMap<string, string>;
  readonly presigned: boolean;
};

const MAX_KEY_BYTES = 1024;
const SIGNATURE_PARAMETERS = new Set(
  ["algorithm", "credential", "date", "expires", "signedheaders", "signature", "security-token"].map(
    (name) => `x-amz-${name}`,
  ),
);
const RESPONSE_PARAMETERS = new Set(
  [
    "content-type",
    "content-language",
    "expires",
    "cache-control",
    "content-disposition",
    "content-encoding",
  ].map((name) => `response-${name}`),
);
const LIST_PARAMETERS = new Set([
  "list-type",
  "prefix",
  "delimiter",
  "max-keys",
  "continuation-token",
  "start-after",
]);
const KNOWN_AMZ_HEADERS = new Set(
  [
    "content-sha256",
    "date",
    "decoded-content-length",
    "trailer",
    "sdk-checksum-algorithm",
    "checksum-mode",
    "security-token",
    "te",
    "user-agent",
  ].map((name) => `x-amz-${name}`),
);

/** Decodes method, URL and headers. Throws `InvalidURI`, `KeyTooLongError` or `InvalidArgument`. */
export function parseRequest(method: string, url: string, raw: IncomingHttpHeaders): S3Request {
  const mark = url.indexOf("?");
  const path = decode(mark < 0 ? url : url.slice(0, mark));
  const query = parseQuery(mark < 0 ? "" : url.slice(mark + 1));
  const presigned = query.some(([name]) => /^x-amz-(signature|algorithm|credential)$/i.test(name));
  if (presigned && raw.authorization !== undefined) {
    throw invalidRequest(
      "Only one auth mechanism allowed: send the query signature or the Authorization header",
    );
  }
  const slash = path.indexOf("/", 1);
  const key = slash < 0 ? "" : path.slice(slash + 1);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    throw new S3Refusal(
      400,
      "KeyTooLongError",
      `Your key is too long: at most ${MAX_KEY_BYTES} bytes of UTF-8`,
    );
  }
  const bucket = slash < 0 ? path.slice(1) : path.slice(1, slash);
  return { method, bucket, key, path, query, headers: readHeaders(raw, presigned ? query : []), presigned };
}

/** The first value of a query parameter, or undefined. */
export function parameter(request: S3Request, name: string): string | undefined {
  return request.query.find(([candidate]) => candidate === name)?.[1];
}

/** Text as a header value: Node's are latin1 with the bytes of the UTF-8 text, and hold no control characters. */
export function toHeaderValue(text: string): string {
  return Buffer.from(text.replace(/\p{Cc}/gu, " ")).toString("latin1");
}

/** Refuses with `NotImplemented` whatever would change the meaning of the request and is not known here. */
export function refuseUnknown(request: S3Request): void {
  for (const [name] of request.query) {
    if (!isKnownParameter(request, name)) throw notImplemented(`the query parameter ${name}`);
  }
  for (const name of request.headers.keys()) {
    if (name.startsWith("x-amz-") && !KNOWN_AMZ_HEADERS.has(name) && !/^x-amz-(meta|checksum)-/.test(name)) {
      throw notImplemented(`the header ${name}`);
    }
  }
}

function isKnownParameter(request: S3Request, name: string): boolean {
  const lower = name.toLowerCase();
  if (lower === "x-id" || (request.presigned && lower.startsWith("x-amz-"))) return true;
  if (request.key !== "") return request.method === "GET" && RESPONSE_PARAMETERS.has(name);
  return request.method === "POST" ? name === "delete" : LIST_PARAMETERS.has(name);
}

function readHeaders(raw: IncomingHttpHeaders, query: S3Request["query"]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of query) {
    const lower = name.toLowerCase();
    // S3 checks checksums that come as headers only: a URL is signed before its body exists.
    if (!lower.startsWith("x-amz-") || SIGNATURE_PARAMETERS.has(lower) || lower.startsWith("x-amz-checksum-"))
      continue;
    headers.set(lower, toHeaderValue(value));
  }
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(",") : value);
  }
  return headers;
}

function parseQuery(text: string): [string, string][] {
  return text
    .split("&")
    .filter((part) => part !== "")
    .map((part) => {
      const equals = part.indexOf("=");
      const [name, value] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
      return [decode(name.replaceAll("+", " ")), decode(value.replaceAll("+", " "))];
    });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Refusal(400, "InvalidURI", "Couldn't parse the specified URI.");
  }
}
