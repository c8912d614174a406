import { createHash, randomBytes } from "node:crypto";

// A token says whose it is, so that a used one is told from an unknown one without keeping every
// token ever issued. Its checksum tells a damaged token; it is not a secret, because a live token
// must equal the one that its execution stands on.

const version = 1;
const randomLength = 18;
const checksumLength = 6;

/** Makes a fresh task token for an execution: opaque, unique, under 1,024 characters. */
export function createToken(executionName: string): string {
  const body = Buffer.concat([
    Buffer.of(version),
    randomBytes(randomLength),
    Buffer.from(executionName, "utf8"),
  ]);
  return Buffer.concat([body, checksumOf(body)]).toString("base64url");
}

/** The name of the execution that a token was issued for; undefined for what is no token of ours. */
export function executionOfToken(token: string): string | undefined {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.toString("base64url") !== token) return undefined;
  if (bytes.length <= 1 + randomLength + checksumLength || bytes[0] !== version) return undefined;
  const body = bytes.subarray(0, -checksumLength);
  if (!checksumOf(body).equals(bytes.subarray(-checksumLength))) return undefined;
  return body.subarray(1 + randomLength).toString("utf8");
}

function checksumOf(body: Buffer): Buffer {
  return createHash("sha256").update(body).digest().subarray(0, checksumLength);
}
