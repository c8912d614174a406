import { setTimeout as sleep } from "node:timers/promises";
import type { Event } from "../../contract/schemas/events.ts";
import type { Backend } from "../support/api.ts";
import { type EventStream, eventsOf, openStream } from "../support/sse.ts";

const RETRY_MS = 20;
const PATIENCE_MS = 10_000;

export type Follower = {
  /** Everything received, once that reaches the sequence. Throws when it does not come. */
  readonly received: (sequence: number) => Promise<readonly Event[]>;
  readonly close: () => Promise<void>;
};

/** Follows a session's events live behind `first`, from its cursor on whenever its stream has ended. */
export function follow(api: () => Backend, sessionId: string, first: Event): Follower {
  const before: Event[] = [first];
  let stream: EventStream | null = null;
  let closed = false;
  const events = () => [...before, ...eventsOf(stream?.frames ?? [])];

  const followOnce = async (): Promise<void> => {
    stream = await openStream(api(), sessionId, { after: before.at(-1)?.id ?? first.id });
    if (closed) await stream.close();
    while (stream.ended() === null) await sleep(RETRY_MS);
    before.push(...eventsOf(stream.frames));
    stream = null;
  };
  const following = (async () => {
    while (!closed) {
      // Where nobody answers, the stack is being started again.
      await followOnce().catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error;
      });
      await sleep(RETRY_MS);
    }
  })();
  // Whoever asks for what was received is told.
  following.catch(() => undefined);

  return {
    received: async (sequence) => {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const now = events();
        if ((now.at(-1)?.sequence ?? 0) >= sequence) return now;
        if (Date.now() > deadline) throw new Error(`the stream never came to event ${sequence}`);
        await Promise.race([sleep(RETRY_MS), following]);
      }
    },
    close: async () => {
      closed = true;
      await stream?.close();
      await following;
    },
  };
}
