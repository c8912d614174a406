/**
 * Keeps the requests that were received, and works out from them what a prompt cache would have held.
 */
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Provider } from "./reply.ts";

export type RecordedRequest = {
  readonly provider: Provider;
  /** The bytes as they were received. */
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** The body as JSON; null when it is none. */
  readonly parsed: unknown;
  /** How often this very body has been received, this time included. */
  readonly attempt: number;
  /** Bytes at the start that an earlier request of the provider had too. */
  readonly cachedBytes: number;
  /** Resolves when the exchange is over: `finished` after a whole response, `closed` when the socket went first. */
  readonly over: Promise<"finished" | "closed">;
};

export type Recorder = {
  readonly requests: readonly RecordedRequest[];
  add(
    provider: Provider,
    body: Buffer,
    headers: IncomingHttpHeaders,
    response: ServerResponse,
  ): RecordedRequest;
};

/** Remembers the `keep` latest requests. */
export function createRecorder(keep: number): Recorder {
  const requests: RecordedRequest[] = [];
  const attempts = new Map<string, number>();

  function attempt(body: Buffer): number {
    const digest = createHash("sha256").update(body).digest("base64");
    const count = (attempts.get(digest) ?? 0) + 1;
    attempts.delete(digest);
    attempts.set(digest, count);
    const oldest = attempts.keys().next();
    if (attempts.size > keep && !oldest.done) attempts.delete(oldest.value);
    return count;
  }

  return {
    requests,
    add(provider, body, headers, response) {
      const earlier = requests.filter((at) => at.provider === provider);
      const record: RecordedRequest = {
        provider,
        body,
        headers,
        parsed: parse(body),
        attempt: attempt(body),
        cachedBytes: Math.max(0, ...earlier.map((at) => commonPrefix(at.body, body))),
        over: over(response),
      };
      requests.push(record);
      if (requests.length > keep) requests.shift();
      return record;
    },
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return null;
  }
}

/** The number of bytes that both begin with, found by halving. */
export function commonPrefix(a: Buffer, b: Buffer): number {
  let same = 0;
  let differs = Math.min(a.length, b.length) + 1;
  while (differs - same > 1) {
    const middle = Math.floor((same + differs) / 2);
    if (a.subarray(0, middle).equals(b.subarray(0, middle))) same = middle;
    else differs = middle;
  }
  return same;
}

function over(response: ServerResponse): Promise<"finished" | "closed"> {
  return new Promise((resolve) => {
    response.once("close", () => resolve(response.writableFinished ? "finished" : "closed"));
  });
}
