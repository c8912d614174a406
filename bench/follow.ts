import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Bed } from "./bed.ts";

type Seen = { event: string; at: number };

/** Reads the event stream of a session, run by run; `delta` is when the first preview of the run came. */
export async function followRuns(bed: Bed, sessionId: string, deltas: boolean) {
  const url = `${bed.api.baseUrl}/sessions/${sessionId}/events/stream?include_deltas=${deltas}`;
  const { body } = await fetch(url, { headers: { authorization: `Bearer ${bed.api.key}` } });
  if (body === null) throw new Error("the stream has no body");
  const reader = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const next = async (): Promise<Seen> => {
    const { done, value } = await reader.read();
    if (done) throw new Error("the stream ended");
    return { event: value.event ?? "", at: performance.now() };
  };
  const reach = async (name: string): Promise<number> => {
    for (;;) {
      const { event, at } = await next();
      if (event === name) return at;
      if (event === "run.completed" || event === "run.failed")
        throw new Error(`${event} came before ${name}`);
    }
  };
  return {
    /** Reads to the end of a run. */
    run: async (): Promise<{ delta: number; completed: number }> => {
      let delta = Number.NaN;
      for (;;) {
        const { event, at } = await next();
        if (event === "message.delta" && Number.isNaN(delta)) delta = at;
        if (event === "run.failed") throw new Error("a run failed");
        if (event === "run.completed") return { delta, completed: at };
      }
    },
    /** Reads to the first preview of a message. */
    delta: () => reach("message.delta"),
    /** Reads to the end of a run that is stopped. */
    stopped: () => reach("run.stopped"),
    close: () => reader.cancel(),
  };
}
