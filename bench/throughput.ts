import { isIdle } from "../test/support/api.ts";
import type { Bed } from "./bed.ts";
import { tenth } from "./statistics.ts";

export type Throughput = { readonly sessions: number; readonly runs: number; readonly runsPerSecond: number };

/** Text runs in many sessions at once, each session sending its next input when its run has ended. */
export async function measureThroughput(bed: Bed, sessions: number, runsEach: number): Promise<Throughput> {
  const ids = await Promise.all(
    Array.from({ length: sessions }, async () => (await bed.api.createSession(bed.agentId)).id),
  );
  const started = performance.now();
  await Promise.all(
    ids.map(async (id) => {
      for (let n = 0; n < runsEach; n += 1) {
        await bed.api.sendInput(id, "a question");
        await bed.api.until(id, isIdle, 60_000);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  const runs = sessions * runsEach;
  return { sessions, runs, runsPerSecond: tenth(runs / seconds) };
}
