import { type Client, createClient, Lost } from "./client.ts";
import { checkInvariants } from "./invariants.ts";
import { type Double, type Plans, type Point, pointsOf } from "./points.ts";
import type { Scenario } from "./scenarios.ts";
import { type Prepared, readRecord } from "./stack.ts";

export type Outcome = {
  /** Whether the stack was killed: a point may not be reached when things happen in another order. */
  readonly killed: boolean;
  /** Whether a run was lost with its execution, and told so. */
  readonly interrupted: boolean;
};

/** The steps of a scenario in the order in which they were done, and what can happen to them. */
export type Recording = { readonly steps: readonly string[]; readonly points: readonly Point[] };

let plays = 0;

/** Plays a scenario without a kill and gives every point of it. */
export async function record(prepared: Prepared, scenario: Scenario): Promise<Recording> {
  const file = prepared.recordFile(`${scenario.name}-${++plays}`);
  const { interrupted } = await play(prepared, scenario, { first: { record: file }, again: null });
  if (interrupted) throw new Error("a run was lost that nobody killed");
  const steps = await readRecord(file);
  return { steps, points: pointsOf(steps, scenario.withStart === true) };
}

/** Plays a scenario with the stack killed at a point, and checks what is left of it. */
export const playKill = (prepared: Prepared, scenario: Scenario, kill: Point): Promise<Outcome> =>
  play(prepared, scenario, { first: { kill }, again: null });

/** Plays a scenario with every message of a kind delivered twice. */
export const playDouble = (prepared: Prepared, scenario: Scenario, double: Double): Promise<Outcome> =>
  play(prepared, scenario, { first: { double }, again: null });

/** Plays a scenario with a run that is lost, and every message of a kind delivered twice after that. */
export const playLoss = (prepared: Prepared, scenario: Scenario, double: Double): Promise<Outcome> =>
  play(prepared, scenario, { first: { kill: lossOf }, again: { double } });

/** Here the run's execution is lost whatever happens beside it. */
export const lossOf: Point = { step: "ask model", nth: 1, when: "after" };

async function play(prepared: Prepared, scenario: Scenario, plans: Plans): Promise<Outcome> {
  const stack = await prepared.open(`${scenario.name}-${++plays}`, plans);
  const before = prepared.asked.length;
  const client = await createClient(stack.start, prepared.agents[scenario.provider]);
  try {
    const interrupted = await recovering(client, () => scenario.play(client));
    await checkInvariants(client, prepared.asked.slice(before), asksTwice(plans));
    return { killed: client.crashes() > 0, interrupted };
  } finally {
    await client.close();
    await stack.remove();
  }
}

/** Two functions that carry one run at the same moment both ask the model; what the first says is recorded. */
const asksTwice = ({ first }: Plans): boolean =>
  "double" in first && first.double.step === "invoke advance" && first.double.manner === "at once";

/**
 * Plays what a lost run may end. Then the run is stopped and the session resumed, as its backend has to; what the
 * session holds is done, and it is good for one more turn.
 */
async function recovering(client: Client, act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return false;
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
    await client.control("stop", { run_id: error.message });
    await client.control("resume");
    await finish(client);
    await client.input("last 1");
    await finish(client);
    return true;
  }
}

/** Answers every call until nothing is left to do. */
async function finish(client: Client): Promise<void> {
  for (;;) {
    const now = await client.until((s) => s.pending_tool_calls.length > 0 || s.active_run_id === null);
    if (now.pending_tool_calls.length === 0) return;
    await client.work(now.pending_tool_calls.length);
  }
}
