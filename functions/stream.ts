import { Readable } from "node:stream";
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";
import type { Context } from "aws-lambda";
import { StreamHeaders, StreamQuery } from "../contract/parameters.ts";
import { streamHeaders } from "../contract/routes.ts";
import { ApiError } from "../core/api/error.ts";
import { streamOperation } from "../core/api/operations.ts";
import { type EventStream, openStream } from "../core/api/stream.ts";
import { wakeups } from "./host.ts";
import { authenticate } from "./http/authenticate.ts";
import { type HttpRequest, ProxyEvent, toRequest } from "./http/request.ts";
import { errorResponse } from "./http/respond.ts";
import { route } from "./http/route.ts";
import { validate } from "./http/validate.ts";
import { createWorld, once, type World } from "./wiring.ts";

const world = once(createWorld);

/** Streams a session's events. Lambda is not told when a client leaves: the function runs on until its time is up. */
export const handler = middy({ executionMode: executionModeStreamifyResponse }).handler(
  async (event: unknown, context: Context) => {
    const request = toRequest(ProxyEvent.parse(event));
    try {
      const stream = await open(world(), request);
      world().log.info("stream", { requestId: request.requestId });
      const headers = {
        "content-type": "text/event-stream; charset=utf-8",
        "x-request-id": request.requestId,
      };
      return { statusCode: 200, headers: { ...headers, ...streamHeaders }, body: readable(stream, context) };
    } catch (error) {
      return errorResponse(error, request.requestId, world().log);
    }
  },
);

async function open(at: World, request: HttpRequest): Promise<EventStream> {
  const { route: found, params } = route(request);
  if (found.operationId !== streamOperation) throw new ApiError("not_found");
  const { projectId } = await authenticate(request, at.credentials, at.settings.operatorProject);
  const checked = validate(found, params, request);
  const query = StreamQuery.parse(Object.fromEntries(request.query));
  const headers = StreamHeaders.parse(checked.headers);
  const { store, blobs, clock, previews } = at;
  const sessionId = params["session_id"] ?? "";
  return openStream({ store, blobs, clock, previews, wakeups }, { projectId, sessionId, query, headers });
}

function readable(stream: EventStream, context: Context): Readable {
  const closed = new AbortController();
  const body = Readable.from(
    stream(closed.signal, () => context.getRemainingTimeInMillis()),
    { objectMode: false },
  );
  body.once("close", () => closed.abort());
  return body;
}
