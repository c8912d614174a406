import { Run } from "../contract/schemas/runs.ts";
import { Session } from "../contract/schemas/sessions.ts";
import { type Bed, SLOW } from "./bed.ts";
import { followRuns } from "./follow.ts";
import { type Spread, spread } from "./statistics.ts";

/** From the request to stop a run whose model is streaming to its `run.stopped`. */
export async function measureStop(bed: Bed, stops: number): Promise<Spread> {
  const session = await bed.api.createSession(bed.agentId);
  const path = `/sessions/${session.id}`;
  const stream = await followRuns(bed, session.id, true);
  const times: number[] = [];
  for (let n = 0; n < stops; n += 1) {
    const { run_id: runId } = await bed.api.sendInput(session.id, SLOW);
    await stream.delta();
    const sent = performance.now();
    await bed.api.expectOk(Session, 202, "POST", `${path}/stop`, { run_id: runId });
    times.push((await stream.stopped()) - sent);
    const run = await bed.api.expectOk(Run, 200, "GET", `${path}/runs/${runId}`);
    if (run.messages.length > 0) throw new Error("a stopped run has kept an answer");
    await bed.api.expectOk(Session, 200, "POST", `${path}/resume`);
  }
  await stream.close();
  return spread(times);
}
