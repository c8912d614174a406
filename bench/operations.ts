import { DescribeExecutionCommand, SFNClient } from "@aws-sdk/client-sfn";
import { isWaiting } from "../test/support/api.ts";
import type { Counters } from "../test/support/laptop.ts";
import type { Bed } from "./bed.ts";
import type { Operations } from "./prices.ts";
import { tenth } from "./statistics.ts";

const EXECUTION = "arn:aws:states:us-east-1:000000000000:execution:stepyard:";
const SETTLE_MS = 400;

/**
 * Counts what one text run asks of AWS, the stream's consumer included. Nobody watches meanwhile: the end
 * is seen from the state machine, which costs the table nothing.
 */
export async function countTextRun(bed: Bed, sessionId: string): Promise<Operations> {
  return count(bed, 1, async () => {
    const { run_id } = await bed.api.sendInput(sessionId, "a question");
    await executionEnds(bed, run_id ?? "");
  });
}

/** The same for a run with one function call; reading the session for the call is part of it. */
export async function countFunctionRun(bed: Bed, sessionId: string): Promise<Operations> {
  return count(bed, 3, async () => {
    const { run_id } = await bed.api.sendInput(sessionId, "look up a customer");
    const { pending_tool_calls: calls } = await bed.api.until(sessionId, isWaiting);
    const results = calls.map(({ id }) => ({ call_id: id, success: true, output: { name: "Ada" } }));
    await bed.api.send("POST", `/sessions/${sessionId}/tool-results`, { run_id, results });
    await executionEnds(bed, run_id ?? "");
  });
}

/** Turns of a session without counting. */
export async function passTurns(bed: Bed, sessionId: string, turns: number): Promise<void> {
  for (let n = 0; n < turns; n += 1) {
    const { run_id } = await bed.api.sendInput(sessionId, "a question");
    await executionEnds(bed, run_id ?? "");
  }
}

async function count(bed: Bed, requests: number, work: () => Promise<void>): Promise<Operations> {
  const before = await settled(bed);
  await work();
  const after = await settled(bed);
  return difference(before, after, requests);
}

/** Counters once nothing moves any more: the stream's consumer comes a little later. */
async function settled(bed: Bed): Promise<Counters> {
  for (let last = await bed.laptop.counters(); ; ) {
    await pause(SETTLE_MS);
    const now = await bed.laptop.counters();
    if (JSON.stringify(now) === JSON.stringify(last)) return now;
    last = now;
  }
}

function difference(before: Counters, after: Counters, requests: number): Operations {
  const invocations = Object.fromEntries(
    Object.entries(after.invocations).map(([name, count]) => [name, count - (before.invocations[name] ?? 0)]),
  );
  const grown = (pick: (counters: Counters) => number) => tenth(pick(after) - pick(before));
  return {
    writeUnits: grown(({ dynamodb }) => dynamodb.capacity.write),
    readUnits: grown(({ dynamodb }) => dynamodb.capacity.read),
    s3Puts: grown(({ s3 }) => s3["put"] ?? 0),
    s3Gets: grown(({ s3 }) => s3["get"] ?? 0),
    invocations,
    transitions: grown(({ transitions }) => transitions),
    requests,
  };
}

const clients = new WeakMap<Bed, SFNClient>();

function client(bed: Bed): SFNClient {
  const known = clients.get(bed);
  if (known !== undefined) return known;
  const made = new SFNClient({
    endpoint: bed.laptop.endpoints.stepfunctions,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  clients.set(bed, made);
  return made;
}

async function executionEnds(bed: Bed, runId: string): Promise<void> {
  for (;;) {
    const command = new DescribeExecutionCommand({ executionArn: `${EXECUTION}${runId}` });
    // The start follows the commit, so for a moment there may be none.
    const status = await client(bed)
      .send(command)
      .then(
        (answer) => answer.status,
        () => "RUNNING",
      );
    if (status === "SUCCEEDED") return;
    if (status !== "RUNNING") throw new Error(`the execution of ${runId} ended as ${status}`);
    await pause(5);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
