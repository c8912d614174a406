/** Loaded before a function in the emulator's Lambda workers: what Lambda's runtime has and they have not. */
import { request } from "node:http";
import { PassThrough } from "node:stream";
import * as z from "zod";
import { installAwslambda, type Prelude, responseStream } from "../../local/host/response-stream.ts";
import { preludeHeader, streamTo } from "./stream-header.ts";

const Event = z.object({ headers: z.record(z.string(), z.string().optional()) });

type Handler = (event: unknown, stream: unknown, context: unknown) => Promise<unknown>;

/** Streams to where the front asks for it, and gives the emulator the answer in one piece. */
const streamify = (handler: Handler) => async (event: unknown, context: unknown) => {
  const address = Event.parse(event).headers[streamTo];
  let prelude: Prelude = { statusCode: 200, headers: {} };
  const parts: Buffer[] = [];
  const body = new PassThrough();
  body.on("data", (part: Buffer) => parts.push(part));
  const stream = responseStream((head) => {
    prelude = head;
    if (address !== undefined) forward(address, head, body);
  }, body);
  body.once("close", () => stream.destroy());
  await handler(event, stream, context);
  return { ...prelude, body: Buffer.concat(parts).toString("utf8") };
};

/** A client that has left ends the function here: AWS would let it run on. */
function forward(address: string, prelude: Prelude, body: PassThrough): void {
  const sent = request(address, { method: "POST", headers: { [preludeHeader]: JSON.stringify(prelude) } });
  sent.on("error", () => body.destroy());
  sent.on("response", (answer) => answer.resume());
  body.pipe(sent);
}

installAwslambda();
Object.assign(Reflect.get(globalThis, "awslambda"), { streamifyResponse: streamify });
