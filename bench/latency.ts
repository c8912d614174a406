import type { Bed } from "./bed.ts";
import { followRuns } from "./follow.ts";
import { type Spread, spread } from "./statistics.ts";

export type Latency = {
  /** Each counted from the sending of the input's request. */
  readonly toModelRequest: Spread;
  readonly toFirstDelta: Spread;
  readonly toRunCompleted: Spread;
};

/** Text runs one after another in one session, seen through its event stream. */
export async function measureLatency(bed: Bed, runs: number, warmUp: number): Promise<Latency> {
  const session = await bed.api.createSession(bed.agentId);
  const stream = await followRuns(bed, session.id, true);
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
