import { EventSourceParserStream } from "eventsource-parser/stream";
import * as z from "zod";
import { ErrorEnvelope } from "../../contract/schemas/common.ts";
import { Event } from "../../contract/schemas/events.ts";
import { MessageDelta } from "../../contract/schemas/stream.ts";

const Created = z
  .looseObject({ id: z.string().optional() })
  .transform((body) => ({ ...body, id: body.id ?? "" }));
const StreamData = z.union([MessageDelta, Event]);

export type DemoEvent = MessageDelta | Event;

export type EventReader = AsyncIterableIterator<DemoEvent> & { close(): Promise<void> };

/** The few calls of the API that the quick start makes. */
export function createClient(baseUrl: string, key: string, signal: AbortSignal) {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const response = await fetch(`${baseUrl}${path}`, { ...init, headers, signal });
    if (response.ok) return response;
    const { error } = ErrorEnvelope.parse(await response.json());
    throw new Error(`${response.status} ${error.code}: ${error.message} (request ${error.request_id})`);
  };
  return {
    post: async (path: string, body: unknown) => {
      const response = await request(path, { method: "POST", body: JSON.stringify(body) });
      return Created.parse(await response.json());
    },
    /** Events from now on, previews included. Breaking out of a loop over them keeps the stream open. */
    stream: async (sessionId: string): Promise<EventReader> => {
      const { body } = await request(`/sessions/${sessionId}/events/stream?include_deltas=true`, {
        method: "GET",
      });
      if (body === null) throw new Error("the event stream has no body");
      const reader = body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream())
        .getReader();
      const next = async (): Promise<IteratorResult<DemoEvent>> => {
        const { done, value } = await reader.read();
        if (done) throw new Error("the event stream ended before the run did");
        return { done: false, value: StreamData.parse(JSON.parse(value.data)) };
      };
      const events: EventReader = {
        next,
        close: () => reader.cancel(),
        [Symbol.asyncIterator]: () => events,
      };
      return events;
    },
  };
}

export type Client = ReturnType<typeof createClient>;
