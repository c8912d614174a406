import { type Agent, type IncomingMessage, request } from "node:http";
import { crc32 } from "node:zlib";

/** Where the engine answers, over connections that are kept. */
export type Target = { readonly url: URL; readonly agent: Agent };

/** An answer of the engine; `headers` are names and values in turn, those of the connection left out. */
export type Answer = { readonly status: number; readonly headers: string[]; readonly body: Buffer };

/** One request to the engine, with the headers and the method that came. */
export function exchange({ url, agent }: Target, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  const headers = passedOn(incoming.rawHeaders, ["content-length"]);
  headers.push("content-length", String(body.length));
  return new Promise((resolve, reject) => {
    const call = request(
      {
        agent,
        host: url.hostname,
        port: url.port,
        method: incoming.method,
        path: incoming.url,
        headers,
      },
      (answer) => {
        readAll(answer, Number.POSITIVE_INFINITY).then(
          (answerBody) =>
            resolve({
              status: answer.statusCode ?? 502,
              headers: passedOn(answer.rawHeaders),
              body: answerBody,
            }),
          reject,
        );
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

const CONNECTION_HEADERS = ["connection", "keep-alive", "transfer-encoding"];

function passedOn(rawHeaders: readonly string[], without: readonly string[] = []): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (!CONNECTION_HEADERS.includes(lower) && !without.includes(lower)) kept.push(name, value);
  }
  return kept;
}

/** The answer with another body; length and checksum go with it. */
export function withBody({ status, headers }: Answer, body: Buffer): Answer {
  const kept = passedOn(headers, ["content-length", "x-amz-crc32"]);
  return {
    status,
    headers: [...kept, "x-amz-crc32", String(crc32(body)), "content-length", String(body.length)],
    body,
  };
}

/** A whole body. Rejects with `TooLarge` over the limit, in bytes. */
export function readAll(stream: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    // By events: this is on the way of every request, and an async iterator is slower.
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) reject(new TooLarge());
      else chunks.push(chunk);
    });
    stream.on("error", reject);
    stream.on("end", () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
  });
}

/** A body was larger than its limit. */
export class TooLarge extends Error {}
