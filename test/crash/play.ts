import { type Client, createClient, Lost } from "./client.ts";
import { checkInvariants } from "./invariants.ts";
import { type Point, pointsOf } from "./points.ts";
import type { Scenario } from "./scenarios.ts";
import { type Prepared, readRecord } from "./stack.ts";

export type Outcome = {
  /** Whether the stack was killed: a point may not be reached when things happen in another order. */
  readonly killed: boolean;
  /** Whether the run was lost with its execution, and told so. */
  readonly interrupted: boolean;
};

let plays = 0;

/** Plays a scenario with the stack killed at a point, and checks what is left of it. */
export async function playOnce(prepared: Prepared, scenario: Scenario, point: Point): Promise<Outcome> {
  return play(prepared, scenario, { kill: point });
}

/** Plays a scenario without a kill and gives every point of it. */
export async function record(prepared: Prepared, scenario: Scenario): Promise<Point[]> {
  const file = prepared.recordFile(`${scenario.name}-${++plays}`);
  const { interrupted } = await play(prepared, scenario, { record: file });
  if (interrupted) throw new Error("a run was lost that nobody killed");
  return pointsOf(await readRecord(file));
}

async function play(
  prepared: Prepared,
  scenario: Scenario,
  plan: { readonly kill: Point } | { readonly record: string },
): Promise<Outcome> {
  const stack = await prepared.open(`${scenario.name}-${++plays}`, plan);
  const before = prepared.asked.length;
  const client = await createClient(stack.start, prepared.agents[scenario.provider]);
  try {
    let interrupted = await recovering(client, () => scenario.play(client));
    if ((await client.session()).status !== "archived") {
      const lost = await recovering(client, () => takeTurn(client, "last 1"));
      if (lost) await takeTurn(client, "again 1");
      interrupted ||= lost;
    }
    await checkInvariants(client, prepared.asked.slice(before));
    return { killed: client.crashes() > 0, interrupted };
  } finally {
    await client.laptop().kill();
    await stack.remove();
  }
}

/** Does something that a lost run may end: then the run is stopped and the session resumed, as its backend has to. */
async function recovering(client: Client, act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return false;
  } catch (error) {
    if (!(error instanceof Lost)) throw error;
    await client.control("stop", { run_id: error.message });
    await client.control("resume");
    return true;
  }
}

/** Whatever happened, the session is still good for work: what it holds is done, and one more turn. */
async function takeTurn(client: Client, text: string): Promise<void> {
  await finish(client);
  await client.input(text);
  await finish(client);
}

/** Answers every call until nothing is left to do. */
async function finish(client: Client): Promise<void> {
  for (;;) {
    const now = await client.until((s) => s.pending_tool_calls.length > 0 || s.active_run_id === null);
    if (now.pending_tool_calls.length === 0) return;
    await client.work(now.pending_tool_calls.length);
  }
}
