import { parseSequencedId } from "../../contract/ids.ts";
import type { StreamHeaders, StreamQuery } from "../../contract/parameters.ts";
import type { Clock } from "../ports/clock.ts";
import type { Previews, Subscription, Wakeups } from "../ports/previews.ts";
import { presentEvents } from "../present/events.ts";
import type { PresentPorts } from "../present/sources.ts";
import { isPublic } from "../session/events.ts";
import type { SessionState } from "../session/state.ts";
import { deltaReader } from "./deltas.ts";
import { ApiError } from "./error.ts";
import { ownSession } from "./sessions.ts";
import { comment, deltaFrame, eventFrame, retryFrame } from "./sse.ts";

/** Idle connections are closed after five minutes on AWS and sooner elsewhere. */
const HEARTBEAT_MS = 10_000;
/** How often the log is read while work goes on, and when nothing happened for a while. */
const BUSY_POLL_MS = 200;
const IDLE_POLL_MS = 1_000;
const IDLE_AFTER_MS = 30_000;
/** The mark that somebody watches is renewed well before it runs out. */
const WATCH_MS = 60_000;
const RENEW_MS = 20_000;
const READ_COMMITS = 50;

export type StreamPorts = PresentPorts & {
  readonly clock: Clock;
  readonly previews: Previews;
  readonly wakeups: Wakeups;
};

export type StreamRequest = {
  readonly projectId: string;
  readonly sessionId: string;
  readonly query: StreamQuery;
  readonly headers: StreamHeaders;
};

/** An event stream whose request was accepted: the frames follow. */
export type EventStream = (signal: AbortSignal, remainingMs: () => number) => AsyncGenerator<string>;

/**
 * Opens an event stream (get_sessions_session_id_events_stream). Throws `ApiError` before the first frame;
 * afterwards the stream just ends: on archive, on deletion, and before the host's time is up.
 */
export async function openStream(ports: StreamPorts, request: StreamRequest): Promise<EventStream> {
  const state = await ownSession(ports, request.projectId, request.sessionId);
  const after = startingPoint(state, request);
  const deltas = request.query.include_deltas;
  const seen = deltas ? await watch(ports, state) : null;
  return (signal, remainingMs) => frames(ports, state, { after, deltas, seen, signal, remainingMs });
}

/** The sequence behind which the stream starts: the cursor's, or the log's present end. */
function startingPoint(state: SessionState, { query, headers }: StreamRequest): number {
  const last = headers["last-event-id"];
  if (query.after !== undefined && last !== undefined && query.after !== last)
    throw new ApiError("conflicting_cursor");
  const cursor = query.after ?? last;
  if (cursor === undefined) return state.sequence;
  const sequence = parseSequencedId(cursor, state.id);
  if (sequence === null || sequence > state.sequence) throw new ApiError("invalid_cursor");
  return sequence;
}

/** Marks the session as watched before the headers go out; gives the message whose text had begun by then. */
async function watch(
  { store, previews, clock }: StreamPorts,
  { id, sequence }: SessionState,
): Promise<string | null> {
  try {
    await previews.watch(id, new Date(clock.now() + WATCH_MS));
    const { preview } = await store.tail(id, sequence, READ_COMMITS);
    return preview?.messageId ?? null;
  } catch (cause) {
    throw new ApiError("stream_unavailable", undefined, { cause });
  }
}

type Options = {
  readonly after: number;
  readonly deltas: boolean;
  /** The message whose text had begun before the stream opened. */
  readonly seen: string | null;
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
};

/** The end of the host's time is announced this long before, so that the client continues by itself. */
const CLOSE_BELOW_MS = 15_000;

/** What fails because the session is deleted meanwhile is the stream's end. */
async function* frames(ports: StreamPorts, state: SessionState, options: Options): AsyncGenerator<string> {
  const subscription = ports.wakeups.subscribe(state.id);
  try {
    yield* follow(ports, state, subscription, options);
  } catch (error) {
    if (await exists(ports, state)) throw error;
  } finally {
    subscription.close();
  }
}

const exists = async ({ store }: StreamPorts, { id }: SessionState): Promise<boolean> =>
  (await store.load(id)) !== null;

async function* follow(
  ports: StreamPorts,
  state: SessionState,
  subscription: Subscription,
  options: Options,
): AsyncGenerator<string> {
  const { clock } = ports;
  const deltas = deltaReader(state.id, options.seen);
  let last = options.after;
  let written = clock.now();
  let changed = clock.now();
  let renewed = clock.now();
  let woken = false;
  yield comment("open");
  // Nothing follows the archival, which a reader that comes back may have seen already.
  if (state.status === "archived" && last >= state.sequence) return;
  while (!options.signal.aborted) {
    const tail = await ports.store.tail(state.id, last, READ_COMMITS);
    const events = tail.items
      .flatMap((commit) => commit.events)
      .filter(isPublic)
      .filter((e) => e.sequence > last);
    const previews = options.deltas ? deltas.read(tail.preview) : [];
    for (const delta of previews) yield deltaFrame(delta);
    if (events.length > 0) {
      const presented = await presentEvents(ports, state, events);
      if (presented === null) return;
      for (const event of presented) {
        deltas.follow(event);
        yield eventFrame(event);
        last = event.sequence;
        if (event.type === "session.archived") return;
      }
    }
    const now = clock.now();
    const silent = now - written >= HEARTBEAT_MS;
    if (events.length > 0 || previews.length > 0) {
      changed = now;
      written = now;
    } else if (silent || woken) {
      // Woken, with nothing new in the log: the change may have been the session's end.
      if (!(await exists(ports, state))) return;
      if (silent) {
        yield comment("heartbeat");
        written = now;
      }
    }
    if (options.remainingMs() < CLOSE_BELOW_MS) {
      yield retryFrame;
      return;
    }
    if (options.deltas && now - renewed >= RENEW_MS) {
      await ports.previews.watch(state.id, new Date(now + WATCH_MS));
      renewed = now;
    }
    if (!tail.more) {
      const pause = now - changed < IDLE_AFTER_MS ? BUSY_POLL_MS : IDLE_POLL_MS;
      woken = await subscription.wait(pause, options.signal);
    }
  }
}
