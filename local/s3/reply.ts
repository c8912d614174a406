import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { S3Refusal } from "./errors.ts";
import type { ByteRange } from "./range.ts";
import { element, xmlDocument } from "./xml.ts";

/** An answer to a request, sent by `sendReply`. `file` is a descriptor that `sendReply` closes. */
export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | { readonly file: number; readonly range: ByteRange };
};

/** An answer whose body is an XML document. */
export function xmlReply(status: number, body: string): Reply {
  return { status, headers: { "content-type": "application/xml" }, body };
}

/** The error document for a refusal. */
export function errorReply(refusal: S3Refusal, resource: string, requestId: string): Reply {
  const fields = { Code: refusal.code, Message: refusal.message, ...refusal.fields, Resource: resource };
  const content = Object.entries({ ...fields, RequestId: requestId }).map(([name, text]) =>
    element(name, text),
  );
  const range = refusal.fields["ActualObjectSize"];
  const reply = xmlReply(refusal.status, xmlDocument("Error", content, false));
  return range === undefined
    ? reply
    : { ...reply, headers: { ...reply.headers, "content-range": `bytes */${range}` } };
}

/** Sends a reply; a HEAD gets the headers only. Rejects when the client goes away in mid-body. */
export async function sendReply(
  response: ServerResponse,
  method: string,
  reply: Reply,
  requestId: string,
): Promise<void> {
  const { body } = reply;
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.setHeader("x-amz-request-id", requestId);
  response.statusCode = reply.status;
  if (typeof body === "object") {
    const stream = createReadStream("", { fd: body.file, ...body.range });
    return await pipeline(stream, response);
  }
  if (method !== "HEAD" && reply.status !== 304 && reply.status !== 204) {
    response.setHeader("content-length", Buffer.byteLength(body ?? ""));
  }
  response.end(method === "HEAD" ? undefined : body);
}
