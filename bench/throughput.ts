import type { Bed } from "./bed.ts";
import { followRuns } from "./follow.ts";
import { tenth } from "./statistics.ts";

export type Throughput = { readonly sessions: number; readonly runs: number; readonly runsPerSecond: number };

/** Text runs in many sessions at once; each session follows its stream and sends its next input when a run has ended. */
export async function measureThroughput(bed: Bed, sessions: number, runsEach: number): Promise<Throughput> {
  const followed = await Promise.all(
    Array.from({ length: sessions }, async () => {
      const { id } = await bed.api.createSession(bed.agentId);
      return { id, stream: await followRuns(bed, id, false) };
    }),
  );
  const started = performance.now();
  await Promise.all(
    followed.map(async ({ id, stream }) => {
      for (let n = 0; n < runsEach; n += 1) {
        await bed.api.sendInput(id, "a question");
        await stream.run();
      }
    }),
  );
  const seconds = (performance.now() - started) / 1_000;
  await Promise.all(followed.map(({ stream }) => stream.close()));
  const runs = sessions * runsEach;
  return { sessions, runs, runsPerSecond: tenth(runs / seconds) };
}
