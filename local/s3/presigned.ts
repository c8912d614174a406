import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { accessDenied, S3Refusal } from "./errors.ts";
import { parameter, type S3Request } from "./request.ts";

const MAX_EXPIRES_SECONDS = 7 * 24 * 3600;
const MAX_CLOCK_SKEW_MS = 15 * 60 * 1000;

type SignedQuery = {
  readonly scope: string;
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
};

/**
 * Checks a query-signed request (SigV4) against the secret and the clock (`now`, ms).
 * Throws `AuthorizationQueryParametersError` (400), `AccessDenied` (expired, not yet valid, unsigned header) or
 * `SignatureDoesNotMatch` (403).
 */
export function verifyPresigned(request: S3Request, secretAccessKey: string, now: number): void {
  const signed = readSignedQuery(request);
  checkClock(signed.date, readExpires(request), now);
  for (const name of request.headers.keys()) {
    const sentAsParameter = request.query.some(([parameterName]) => parameterName.toLowerCase() === name);
    if (name.startsWith("x-amz-") && !sentAsParameter && !signed.signedHeaders.includes(name)) {
      throw accessDenied(`There were headers present in the request which were not signed: ${name}`);
    }
  }
  const expected = sign(secretAccessKey, signed, canonicalRequest(request, signed.signedHeaders));
  const given = Buffer.from(signed.signature, "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new S3Refusal(
      403,
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided. Check your key and signing method.",
    );
  }
}

function readSignedQuery(request: S3Request): SignedQuery {
  const date = required(request, "X-Amz-Date", /^\d{8}T\d{6}Z$/);
  const credential = required(request, "X-Amz-Credential", /^[^/]+\/\d{8}\/[^/]+\/s3\/aws4_request$/);
  required(request, "X-Amz-Algorithm", /^AWS4-HMAC-SHA256$/);
  const scope = credential.slice(credential.indexOf("/") + 1);
  const signedHeaders = required(request, "X-Amz-SignedHeaders", /^[a-z0-9;-]+$/).split(";");
  if (scope.slice(0, 8) !== date.slice(0, 8) || !signedHeaders.includes("host")) {
    throw queryError(
      "X-Amz-Credential must be of the day of X-Amz-Date, and X-Amz-SignedHeaders must hold host",
    );
  }
  return { scope, date, signedHeaders, signature: required(request, "X-Amz-Signature", /^[0-9a-f]{64}$/) };
}

function readExpires(request: S3Request): number {
  const seconds = Number(required(request, "X-Amz-Expires", /^\d{1,9}$/));
  if (seconds < 1 || seconds > MAX_EXPIRES_SECONDS) {
    throw queryError(`X-Amz-Expires must be from 1 to ${MAX_EXPIRES_SECONDS} seconds`);
  }
  return seconds;
}

function checkClock(date: string, expiresSeconds: number, now: number): void {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  const signedAt = Date.parse(iso);
  if (Number.isNaN(signedAt)) throw queryError("X-Amz-Date is not a date");
  if (now > signedAt + expiresSeconds * 1000) throw accessDenied("Request has expired");
  if (signedAt > now + MAX_CLOCK_SKEW_MS) throw accessDenied("Request is not yet valid");
}

function canonicalRequest(request: S3Request, signedHeaders: readonly string[]): string {
  const path = request.path.split("/").map(encode).join("/");
  const query = request.query
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map((pair) => pair.join("="))
    .join("&");
  const headers = signedHeaders
    .map((name) => `${name}:${canonicalValue(request.headers.get(name))}\n`)
    .join("");
  const payload = request.headers.get("x-amz-content-sha256") ?? "UNSIGNED-PAYLOAD";
  return [request.method, path, query, headers, signedHeaders.join(";"), payload].join("\n");
}

function sign(secret: string, { scope, date }: SignedQuery, canonical: string): Buffer {
  const digest = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", date, scope, digest].join("\n");
  const key = scope.split("/").reduce<Buffer | string>(hmac, `AWS4${secret}`);
  return hmac(key, text);
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function canonicalValue(value: string | undefined): string {
  // Header values arrive as latin1 text; what was signed are their bytes.
  return Buffer.from((value ?? "").trim().replace(/ +/g, " "), "latin1").toString("utf8");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function required(request: S3Request, name: string, pattern: RegExp): string {
  const value = parameter(request, name);
  if (value === undefined || !pattern.test(value)) {
    throw queryError(`The query parameter ${name} is missing or not of the form that S3 takes`);
  }
  return value;
}

function queryError(message: string): S3Refusal {
  return new S3Refusal(400, "AuthorizationQueryParametersError", message);
}
