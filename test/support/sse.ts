import { createParser, type EventSourceMessage } from "eventsource-parser";
import { Event } from "../../contract/schemas/events.ts";
import { MessageDelta, SSECommittedEvent, SSEMessageDelta } from "../../contract/schemas/stream.ts";
import type { Backend } from "./api.ts";

/** A frame as it came: an event has an id, a preview has none. */
export type Frame = { readonly id: string | null; readonly item: Event | MessageDelta };

export type EventStream = {
  readonly headers: Headers;
  /** Everything received so far, in order. */
  readonly frames: readonly Frame[];
  readonly comments: readonly string[];
  /** Why the frames ended; null while the stream is open. */
  readonly ended: () => "server" | "client" | null;
  /** Resolves when the condition holds for what was received; fails after the time or at the stream's end. */
  readonly until: (wanted: (frames: readonly Frame[]) => boolean, withinMs?: number) => Promise<void>;
  /** Cuts the connection. */
  readonly close: () => Promise<void>;
};

export type StreamOptions = {
  readonly after?: string;
  readonly lastEventId?: string;
  readonly deltas?: boolean;
};

/** Opens an event stream; resolves when its headers are there. Fails on any status but 200. */
export async function openStream(
  { baseUrl, key }: Backend,
  sessionId: string,
  options: StreamOptions = {},
): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(`${baseUrl}/sessions/${sessionId}/events/stream${query(options)}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId }),
    },
    signal: abort.signal,
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`the stream was refused: ${response.status} ${await response.text()}`);
  return follow(response.headers, response.body, abort);
}

function query({ after, deltas }: StreamOptions): string {
  const parameters = new URLSearchParams();
  if (after !== undefined) parameters.set("after", after);
  if (deltas !== undefined) parameters.set("include_deltas", String(deltas));
  return parameters.size === 0 ? "" : `?${parameters}`;
}

function follow(headers: Headers, body: ReadableStream<Uint8Array>, abort: AbortController): EventStream {
  const frames: Frame[] = [];
  const comments: string[] = [];
  const waiters = new Set<() => void>();
  let ended: "server" | "client" | null = null;
  let failure: unknown = null;
  const changed = () => {
    for (const look of waiters) look();
  };
  const done = read(body, {
    onFrame: (frame) => frames.push(frame),
    onComment: (comment) => comments.push(comment),
    onChunk: changed,
  })
    .catch((error: unknown) => {
      if (!abort.signal.aborted) failure = error;
    })
    .finally(() => {
      ended = abort.signal.aborted ? "client" : "server";
      changed();
    });
  return {
    headers,
    frames,
    comments,
    ended: () => ended,
    until: (wanted, withinMs = 30_000) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void) => {
          clearTimeout(timer);
          waiters.delete(look);
          act();
        };
        const seen = () => `it received ${JSON.stringify(frames.map(({ item }) => item.type))}`;
        const look = () => {
          if (wanted(frames)) settle(resolve);
          else if (ended !== null)
            settle(() => reject(new Error(`the stream ended (${failure}): ${seen()}`)));
        };
        const timer = setTimeout(
          () => settle(() => reject(new Error(`the stream was not as wanted in time: ${seen()}`))),
          withinMs,
        );
        waiters.add(look);
        look();
      }),
    close: async () => {
      abort.abort();
      await done;
    },
  };
}

type Listener = {
  readonly onFrame: (frame: Frame) => void;
  readonly onComment: (comment: string) => void;
  readonly onChunk: () => void;
};

async function read(body: ReadableStream<Uint8Array>, { onFrame, onComment, onChunk }: Listener) {
  const parser = createParser({
    onEvent: (message) => onFrame(parseFrame(message)),
    onComment,
    onError: (error) => {
      throw error;
    },
  });
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for await (const chunk of body) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    onChunk();
  }
}

/** Checks a frame against the contract, and that its id and event are those of its data. */
function parseFrame({ id, ...message }: EventSourceMessage): Frame {
  const data: unknown = JSON.parse(message.data);
  if (message.event === "message.delta") {
    SSEMessageDelta.parse(id === undefined ? message : { id, ...message });
    return { id: null, item: MessageDelta.parse(data) };
  }
  const frame = SSECommittedEvent.parse({ id, ...message });
  const item = Event.parse(data);
  if (frame.id !== item.id || frame.event !== item.type)
    throw new Error(`the frame ${frame.id} ${frame.event} has the event ${item.id} ${item.type}`);
  return { id: frame.id, item };
}

/** The committed events among frames. */
export const eventsOf = (frames: readonly Frame[]): Event[] =>
  frames.flatMap(({ item }) => (item.type === "message.delta" ? [] : [item]));

/** The previews among frames. */
export const deltasOf = (frames: readonly Frame[]): MessageDelta[] =>
  frames.flatMap(({ item }) => (item.type === "message.delta" ? [item] : []));

/** True once the last of the frames leaves the session without a run. */
export const isOver = (frames: readonly Frame[]): boolean => {
  const last = eventsOf(frames).at(-1);
  return last?.type === "session.updated" && last.data.session.active_run_id === null;
};
