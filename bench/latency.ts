import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Bed } from "./bed.ts";
import { type Spread, spread } from "./statistics.ts";

export type Latency = {
  /** Each counted from the sending of the input's request. */
  readonly toModelRequest: Spread;
  readonly toFirstDelta: Spread;
  readonly toRunCompleted: Spread;
};

type Seen = { event: string; at: number };

/** Text runs one after another in one session, seen through its event stream. */
export async function measureLatency(bed: Bed, runs: number, warmUp: number): Promise<Latency> {
  const session = await bed.api.createSession(bed.agentId);
  const stream = await follow(bed, session.id);
  const times = { model: [] as number[], delta: [] as number[], completed: [] as number[] };
  for (let n = 0; n < runs + warmUp; n += 1) {
    const id = `bench-${n}`;
    const sent = performance.now();
    await bed.api.sendInput(session.id, id);
    const { delta, completed } = await stream.run();
    if (n < warmUp) continue;
    times.model.push((bed.asked.get(id) ?? Number.NaN) - sent);
    times.delta.push(delta - sent);
    times.completed.push(completed - sent);
  }
  await stream.close();
  return {
    toModelRequest: spread(times.model),
    toFirstDelta: spread(times.delta),
    toRunCompleted: spread(times.completed),
  };
}

async function follow(bed: Bed, sessionId: string) {
  const url = `${bed.api.baseUrl}/sessions/${sessionId}/events/stream?include_deltas=true`;
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
    close: () => reader.cancel(),
  };
}
