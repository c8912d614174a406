import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createClient, machine, stateMachineArn, task, tokenTask, until } from "./stepfunctions-support.ts";

const script = join(import.meta.dirname, "stepfunctions-host.ts");
let directory: string;
let callsFile: string;
let child: ChildProcess | undefined;
let client: SFNClient;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "stepfunctions-"));
  callsFile = join(directory, "calls");
  await writeFile(callsFile, "");
});

afterEach(async () => {
  await kill();
  await rm(directory, { recursive: true });
});

/** Starts a host process on the test's directory, its clock some seconds ahead. */
async function host(definition: object, secondsAhead = 0): Promise<void> {
  const args = [script, directory, callsFile, String(secondsAhead * 1000), JSON.stringify(definition)];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  const [url] = await once(started.stdout, "data");
  client = createClient(String(url).trim());
}

async function kill(): Promise<void> {
  client?.destroy();
  const killed = child;
  child = undefined;
  if (!killed) return;
  const gone = once(killed, "exit");
  killed.kill("SIGKILL");
  await gone;
}

async function start(name: string, input: unknown = {}): Promise<string> {
  const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
  return (await client.send(command)).executionArn ?? "";
}

function describeExecution(executionArn: string): Promise<DescribeExecutionCommandOutput> {
  return client.send(new DescribeExecutionCommand({ executionArn }));
}

function ended(executionArn: string): Promise<DescribeExecutionCommandOutput> {
  return until(async () => {
    const execution = await describeExecution(executionArn);
    return execution.status === "RUNNING" ? undefined : execution;
  });
}

async function types(executionArn: string): Promise<string[]> {
  const { events } = await client.send(new GetExecutionHistoryCommand({ executionArn, maxResults: 1000 }));
  return (events ?? []).map((event) => event.type ?? "");
}

function happened(executionArn: string, type: string): Promise<true> {
  return until(async () => ((await types(executionArn)).includes(type) ? (true as const) : undefined));
}

async function calls(): Promise<{ name: string; payload: Record<string, unknown> }[]> {
  const lines = (await readFile(callsFile, "utf8")).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}

const caught = {
  Catch: [{ ErrorEquals: ["Lambda.Unknown"], Next: "Lost", Output: "{% $states.errorOutput %}" }],
};

describe("an execution whose process was killed", () => {
  it("still takes the token that was given out before", async () => {
    const definition = machine({ Hold: tokenTask("park", { TimeoutSeconds: 3600, End: true }) });
    await host(definition);
    const arn = await start("parked");
    await happened(arn, "TaskSubmitted");
    const taskToken = String((await calls())[0]?.payload["token"]);
    await kill();
    await host(definition);
    expect((await describeExecution(arn)).status).toBe("RUNNING");
    await client.send(new SendTaskSuccessCommand({ taskToken, output: '"woken"' }));
    expect(await ended(arn)).toMatchObject({ status: "SUCCEEDED", output: '"woken"' });
    await kill();
    await host(definition);
    expect(await describeExecution(arn)).toMatchObject({ status: "SUCCEEDED", output: '"woken"' });
    const again = new SendTaskSuccessCommand({ taskToken, output: '"twice"' });
    await expect(client.send(again)).rejects.toMatchObject({ name: "TaskTimedOut" });
    expect(await calls()).toHaveLength(1);
  });

  it("fails the function that was running with Lambda.Unknown and does not call it again", async () => {
    const definition = machine({
      Do: task("hang", { ...caught, End: true }),
      Lost: task("lost", { End: true }),
    });
    await host(definition);
    const arn = await start("lost");
    await until(async () => (await calls()).length === 1 || undefined);
    await kill();
    await host(definition);
    expect((await ended(arn)).status).toBe("SUCCEEDED");
    expect(await calls()).toMatchObject([
      { name: "hang" },
      { name: "lost", payload: { Error: "Lambda.Unknown" } },
    ]);
  });

  it("calls it again when its own Retry says so", async () => {
    const Retry = [{ ErrorEquals: ["Lambda.Unknown"], IntervalSeconds: 1, MaxAttempts: 1 }];
    const definition = machine({ Do: task("hang", { Retry, End: true }) });
    await host(definition);
    await start("again");
    for (const made of [1, 2]) {
      await until(async () => (await calls()).length === made || undefined);
      await kill();
      await host(definition, made * 10);
    }
    const { executions } = await until(async () => {
      const list = await client.send(new ListExecutionsCommand({ stateMachineArn, statusFilter: "FAILED" }));
      return list.executions?.length === 1 ? list : undefined;
    });
    expect(executions?.[0]?.name).toBe("again");
    expect(await calls()).toHaveLength(2);
  });

  it("keeps the absolute deadlines of its Waits and tokens", async () => {
    const definition = machine({
      Nap: { Type: "Wait", Seconds: 3600, Next: "Hold" },
      Hold: tokenTask("park", { TimeoutSeconds: 3600, End: true }),
    });
    await host(definition);
    const arn = await start("sleeper");
    await happened(arn, "WaitStateEntered");
    const { startDate } = await describeExecution(arn);
    await kill();
    await host(definition, 3500);
    expect(await types(arn)).not.toContain("WaitStateExited");
    await kill();
    await host(definition, 3600);
    await happened(arn, "TaskSubmitted");
    await kill();
    await host(definition, 7300);
    const execution = await ended(arn);
    expect(execution).toMatchObject({ status: "FAILED", error: "States.Timeout" });
    expect(execution.startDate).toEqual(startDate);
  });

  it("loses no acknowledged start and repeats no call, wherever the kills fall", async () => {
    const definition = machine({
      One: task("brief", { ...caught, Next: "Two" }),
      Two: task("brief", { ...caught, Output: "{% $states.input %}", Next: "Done" }),
      Lost: { Type: "Succeed", Output: "lost" },
      Done: { Type: "Succeed", Output: "done" },
    });
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round += 1) {
      await host(definition);
      const before = acknowledged.length;
      const starts = Array.from({ length: 30 }, async (_, index) => {
        acknowledged.push(await start(`r${round}-${index}`, { run: `r${round}-${index}` }));
      });
      const settled = Promise.allSettled(starts);
      await until(() => acknowledged.length > before + round * 5 || undefined);
      await kill();
      await settled;
    }
    await host(definition);
    const outputs = await Promise.all(acknowledged.map(async (arn) => (await ended(arn)).output));
    expect(outputs.filter((output) => output !== '"done"' && output !== '"lost"')).toEqual([]);
    const counts = new Map<string, number>();
    for (const call of await calls()) {
      const run = String(call.payload["run"]);
      counts.set(run, (counts.get(run) ?? 0) + 1);
    }
    expect([...counts.values()].filter((count) => count > 2)).toEqual([]);
    for (const [index, arn] of acknowledged.entries()) {
      if (outputs[index] !== '"done"') continue;
      expect(counts.get(arn.slice(arn.lastIndexOf(":") + 1))).toBe(2);
    }
  });
});
