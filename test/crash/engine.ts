import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ListExecutionsCommand, type SFNClient } from "@aws-sdk/client-sfn";
import type { Event } from "../../contract/schemas/events.ts";
import { executionOf, historyOf, sfn, stateMachineArn, statesOf } from "../runs/history.ts";
import type { Client } from "./client.ts";

/** What holds in Step Functions: nothing runs on, and what is called lost was lost. */
export async function checkEngine(client: Client, events: readonly Event[]): Promise<void> {
  const engine = sfn(client.laptop());
  try {
    await nothingRuns(engine);
    for (const event of events) {
      if (event.type === "run.interrupted") await wasLost(engine, event.data.run.id);
    }
  } finally {
    engine.destroy();
  }
}

async function nothingRuns(engine: SFNClient): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const { executions = [] } = await engine.send(
      new ListExecutionsCommand({ stateMachineArn, statusFilter: "RUNNING" }),
    );
    const names = executions.map(({ name = "" }) => name);
    // What only watches the deadlines of a run that was interrupted ends with the last of them, by itself.
    const carrying = names.filter((name) => !name.endsWith("-deadlines"));
    if (carrying.length === 0) return;
    assert(tries < 200, `executions run on: ${carrying.join(", ")}`);
    await sleep(25);
  }
}

/** The process ended while `Advance` was at work on it, which may not be done again: the one way to lose a run. */
async function wasLost(engine: SFNClient, runId: string): Promise<void> {
  const history = await historyOf(engine, executionOf(runId));
  const failed = history.flatMap(({ taskFailedEventDetails: details }) => details?.error ?? []);
  assert(failed.includes("Lambda.Unknown"), `${runId} is interrupted, and no function of it was lost`);
  assert.deepEqual(statesOf(history).slice(-3), ["Advance", "Lost", "Failed"], "a run was lost elsewhere");
}
