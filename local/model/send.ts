/**
 * Sends a reply: an answer, or one of the ways in which there is none.
 */
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answered } from "./answer.ts";
import type { Answer, Answered, RawEvent, ReadRequest, Reply, Wire } from "./reply.ts";
import type { Seals } from "./seals.ts";

export type Exchange = {
  readonly wire: Wire;
  readonly request: ReadRequest;
  readonly response: ServerResponse;
  /** Length of the request body, and how much of it a prompt cache would have held. */
  readonly bytes: number;
  readonly cachedBytes: number;
  readonly seals: Seals;
};

const partial = "This answer does not reach its end.";

/** Resolves when everything is sent, the connection is gone, or there is nothing more to send. */
export async function sendReply(exchange: Exchange, reply: Reply): Promise<void> {
  const { response, wire } = exchange;
  if ("hang" in reply) {
    if (reply.hang === "stream") openStream(response);
    return;
  }
  if ("httpError" in reply) {
    const { status, headers, body, ...error } = reply.httpError;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body ?? JSON.stringify(wire.error(error)));
    return;
  }
  if ("cut" in reply) {
    const { cut, end, ...answer } = reply;
    await sendEvents(exchange, { text: partial, ...answer }, cut);
    if (end === true) response.end();
    else response.destroy();
    return;
  }
  if ("streamError" in reply) {
    const { streamError, ...answer } = reply;
    await sendEvents(exchange, { text: partial, ...answer }, streamError.after ?? 0);
    await write(response, wire.streamError(streamError));
    response.end();
    return;
  }
  await sendAnswer(exchange, reply);
}

async function sendAnswer(exchange: Exchange, answer: Answer): Promise<void> {
  const { response, request, wire } = exchange;
  if (request.stream) {
    await sendEvents(exchange, answer, Number.POSITIVE_INFINITY);
  } else {
    if (answer.events) throw new Error("events are for requests that stream: ask with `stream`");
    response.writeHead(200, { "content-type": "application/json" });
    response.write(JSON.stringify(wire.whole(request, decide(exchange, answer))));
  }
  response.end();
}

function decide(exchange: Exchange, answer: Answer): Answered {
  return answered(answer, exchange.wire, exchange.request, exchange);
}

function eventsOf(exchange: Exchange, answer: Answer): readonly (RawEvent & { readonly piece?: boolean })[] {
  const { events } = answer;
  if (Array.isArray(events)) return events;
  const made = exchange.wire.events(exchange.request, decide(exchange, answer));
  return typeof events === "function" ? events(made) : made;
}

/** Sends the events of an answer up to and without the piece of text number `limit`, counted from 0. */
async function sendEvents(exchange: Exchange, answer: Answer, limit: number): Promise<void> {
  const { response } = exchange;
  openStream(response);
  let sent = 0;
  for (const event of eventsOf(exchange, answer)) {
    if (event.piece === true) {
      if (sent === limit) return;
      sent += 1;
      if (answer.chunkMs) await sleep(answer.chunkMs);
    }
    if (response.destroyed) return;
    await write(response, event);
  }
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
  response.flushHeaders();
}

/** Waits until the event has left the process, so that a cut afterwards cannot overtake it. */
async function write(response: ServerResponse, { event, data }: RawEvent): Promise<void> {
  if (response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`, () => resolve());
  });
}
