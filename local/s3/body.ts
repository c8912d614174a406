import { createHash } from "node:crypto";
import { isChecksumValue, isKnownChecksum, startChecksum } from "./checksums.ts";
import { decodeChunks } from "./chunked.ts";
import {
  badDigest,
  entityTooLarge,
  incompleteBody,
  invalidArgument,
  invalidRequest,
  malformedTrailer,
  notImplemented,
  S3Refusal,
} from "./errors.ts";

type Headers = ReadonlyMap<string, string>;

/** What the headers say about the body that follows. */
export type BodyPlan = {
  readonly framed: boolean;
  /** Length of the data without framing, in bytes. */
  readonly length: number;
  /** Checksums by algorithm; undefined where the value follows in a trailer. */
  readonly checksums: ReadonlyMap<string, string | undefined>;
  /** Hex SHA-256 from the signature, or undefined when it is not signed. */
  readonly sha256: string | undefined;
  readonly contentMd5: string | undefined;
};

/** What a received body turned out to be: `md5` is hex, `checksums` are the client's, checked, by algorithm. */
export type ReceivedBody = {
  readonly size: number;
  readonly md5: string;
  readonly checksums: Record<string, string>;
};

/** Reads the headers that describe a body of at most `limit` bytes, before any of it is read. Throws refusals. */
export function planBody(headers: Headers, limit: number): BodyPlan {
  const hash = headers.get("x-amz-content-sha256") ?? "UNSIGNED-PAYLOAD";
  const framed =
    hash.startsWith("STREAMING-") || /\baws-chunked\b/.test(headers.get("content-encoding") ?? "");
  const declared = headers.get(framed ? "x-amz-decoded-content-length" : "content-length");
  if (declared === undefined) {
    throw new S3Refusal(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
  }
  if (!/^\d{1,15}$/.test(declared)) throw invalidRequest("The length of the body is not a number of bytes");
  const length = Number(declared);
  if (length > limit) throw entityTooLarge(length, limit);
  const sha256 = /^[0-9a-f]{64}$/.test(hash) ? hash : undefined;
  if (sha256 === undefined && hash !== "UNSIGNED-PAYLOAD" && !hash.startsWith("STREAMING-")) {
    throw invalidArgument(
      "x-amz-content-sha256",
      "x-amz-content-sha256 must be a known word or a SHA-256 in hex",
    );
  }
  return { framed, length, checksums: planChecksums(headers), sha256, contentMd5: readContentMd5(headers) };
}

/** Hands the data to `write` piece by piece and checks length and checksums at the end. Throws refusals. */
export async function receiveBody(
  plan: BodyPlan,
  source: AsyncIterable<Buffer>,
  write: (chunk: Buffer) => Promise<void>,
): Promise<ReceivedBody> {
  const trailers = new Map<string, string>();
  const md5 = createHash("md5");
  const sha256 = plan.sha256 === undefined ? undefined : createHash("sha256");
  const running = new Map([...plan.checksums.keys()].map((name) => [name, startChecksum(name)]));
  let size = 0;
  for await (const chunk of plan.framed ? decodeChunks(source, trailers) : source) {
    size += chunk.length;
    if (size > plan.length) throw incompleteBody();
    md5.update(chunk);
    sha256?.update(chunk);
    for (const checksum of running.values()) checksum.update(chunk);
    await write(chunk);
  }
  if (size !== plan.length) throw incompleteBody();
  const checksums = Object.fromEntries([...running].map(([name, checksum]) => [name, checksum.value()]));
  checkAll(plan, trailers, checksums);
  const digest = md5.digest();
  if (plan.contentMd5 !== undefined && digest.toString("base64") !== plan.contentMd5)
    throw badDigest("Content-MD5");
  if (sha256 !== undefined && sha256.digest("hex") !== plan.sha256) {
    const message = "The provided 'x-amz-content-sha256' header does not match what was computed.";
    throw new S3Refusal(400, "XAmzContentSHA256Mismatch", message);
  }
  return { size, md5: digest.toString("hex"), checksums };
}

function checkAll(plan: BodyPlan, trailers: Headers, computed: Readonly<Record<string, string>>): void {
  for (const [algorithm, announced] of plan.checksums) {
    const expected = announced ?? trailers.get(`x-amz-checksum-${algorithm}`);
    if (expected === undefined) throw malformedTrailer();
    checkForm(algorithm, expected);
    if (computed[algorithm] !== expected) throw badDigest(algorithm.toUpperCase());
  }
}

function planChecksums(headers: Headers): Map<string, string | undefined> {
  const plan = new Map<string, string | undefined>();
  for (const name of (headers.get("x-amz-trailer") ?? "").split(",")) {
    if (name.trim() !== "") plan.set(checksumName(name.trim().toLowerCase()), undefined);
  }
  for (const [name, value] of headers) {
    if (!name.startsWith("x-amz-checksum-") || name === "x-amz-checksum-mode") continue;
    const algorithm = checksumName(name);
    checkForm(algorithm, value);
    plan.set(algorithm, value);
  }
  return plan;
}

function checksumName(header: string): string {
  const algorithm = header.replace(/^x-amz-checksum-/, "");
  if (!isKnownChecksum(algorithm)) throw notImplemented(`the checksum ${header}`);
  return algorithm;
}

function checkForm(algorithm: string, value: string): void {
  if (!isChecksumValue(algorithm, value)) {
    throw invalidRequest(`Value for x-amz-checksum-${algorithm} header is invalid.`);
  }
}

function readContentMd5(headers: Headers): string | undefined {
  const value = headers.get("content-md5");
  if (value !== undefined && !isChecksumValue("md5", value)) {
    throw new S3Refusal(400, "InvalidDigest", "The Content-MD5 you specified was invalid.");
  }
  return value;
}
