import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { preludeHeader, streamTo } from "./stream-header.ts";

const Prelude = z.object({ statusCode: z.int(), headers: z.record(z.string(), z.string()) });

/** Where the emulator serves a stage. */
export type Stage = { readonly url: string; readonly apiId: string; readonly name: string };

export type Front = {
  /** Answers as the stage's own address would: `<url>/v1/...`. */
  readonly url: string;
  /** Waits for the functions that still run for requests that came here, up to half a minute. */
  readonly close: () => Promise<void>;
};

/** A function whose client has left ends at its next look at the log, which is a second away at most. */
const LAST_FUNCTIONS_MS = 30_000;

/**
 * Stands where the stage's host name would. Answers in one piece go through the emulator; it cannot
 * stream, so a function that does is told to write here, and what it writes goes to the client at once.
 */
export async function startFront(stage: Stage): Promise<Front> {
  const waiting = new Map<string, ServerResponse>();
  const running = new Set<Promise<void>>();
  let count = 0;
  const server = createServer((incoming, answer) => {
    const path = incoming.url ?? "/";
    if (path.startsWith(streamPath)) return receive(incoming, answer, waiting.get(path));
    const headers: IncomingMessage["headers"] = { ...incoming.headers, "x-forwarded-proto": "http" };
    delete headers[streamTo];
    const own = streams(incoming) ? `${streamPath}${++count}` : null;
    if (own !== null) {
      waiting.set(own, answer);
      answer.once("close", () => waiting.delete(own));
      headers[streamTo] = `${addressOf(server)}${own}`;
    }
    const answered = pass(stage, incoming, headers, answer).finally(() => running.delete(answered));
    running.add(answered);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `${addressOf(server)}/${stage.name}`;
  return {
    url,
    close: async () => {
      await Promise.race([Promise.all(running), sleep(LAST_FUNCTIONS_MS, undefined, { ref: false })]);
      if (running.size > 0) console.error(`${running.size} functions still run`);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

const streamPath = "/-/";
const streams = ({ method, url = "" }: IncomingMessage) =>
  method === "GET" && /\/events\/stream(\?|$)/.test(url);

function addressOf(server: ReturnType<typeof createServer>): string {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the front has no port");
  return `http://127.0.0.1:${address.port}`;
}

/**
 * Through the emulator's gateway. What the function has begun to stream is not answered again. Resolves
 * when the emulator has answered, which is when the function has ended.
 */
function pass(
  stage: Stage,
  incoming: IncomingMessage,
  headers: IncomingMessage["headers"],
  answer: ServerResponse,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const path = pathOf(stage, incoming);
  const { method } = incoming;
  const forwarded = request(`${stage.url}${path}`, { headers, ...(method === undefined ? {} : { method }) });
  forwarded.once("close", resolve);
  forwarded.once("response", (response) => {
    if (answer.headersSent || answer.destroyed) return void response.resume();
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  forwarded.once("error", () => {
    if (!answer.writableEnded) answer.destroy();
  });
  incoming.pipe(forwarded);
  return promise;
}

/** A request for the stage's own host name passes as it is: it may be signed. Others name the stage in the path. */
function pathOf(stage: Stage, { headers, url = "/" }: IncomingMessage): string {
  if (headers.host?.startsWith(`${stage.apiId}.`) === true) return url;
  return `/restapis/${stage.apiId}/${stage.name}/_user_request_${url.replace(`/${stage.name}`, "")}`;
}

/** What a function streams, on to the client that waits for it. */
function receive(incoming: IncomingMessage, done: ServerResponse, client: ServerResponse | undefined): void {
  if (client === undefined || client.headersSent) return void incoming.destroy();
  const { statusCode, headers } = Prelude.parse(JSON.parse(String(incoming.headers[preludeHeader])));
  client.writeHead(statusCode, headers);
  client.flushHeaders();
  incoming.pipe(client);
  incoming.once("end", () => done.end());
  client.once("close", () => incoming.destroy());
}
