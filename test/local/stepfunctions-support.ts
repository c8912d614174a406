import {
  DescribeExecutionCommand,
  type DescribeExecutionCommandOutput,
  type HistoryEvent,
  paginateGetExecutionHistory,
  SFNClient,
  StartExecutionCommand,
} from "@aws-sdk/client-sfn";
import { afterEach, vi } from "vitest";
import {
  type InvokeResult,
  type StatusChange,
  type StepFunctions,
  type StepFunctionsOptions,
  startStepFunctions,
} from "../../local/stepfunctions/index.ts";
import { stateMachineArn } from "./stepfunctions-fixtures.ts";

export * from "./stepfunctions-fixtures.ts";

// The machine may be busy; `until` gives up long before.
vi.setConfig({ testTimeout: 60_000 });

/** A function under test: gets its payload, returns its result or throws its error. */
export type TestFunction = (payload: Record<string, unknown>) => unknown;

export type World = {
  readonly sfn: StepFunctions;
  readonly client: SFNClient;
  readonly calls: { name: string; payload: Record<string, unknown> }[];
  readonly changes: StatusChange[];
  /** Starts an execution and returns its ARN. */
  start(input?: unknown, name?: string): Promise<string>;
  describe(executionArn: string): Promise<DescribeExecutionCommandOutput>;
  /** Waits for an execution to end. */
  ended(executionArn: string): Promise<DescribeExecutionCommandOutput>;
  history(executionArn: string): Promise<HistoryEvent[]>;
  eventTypes(executionArn: string): Promise<string[]>;
};

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** A client that does not try again, so that every error is seen. */
export function createClient(url: string): SFNClient {
  return new SFNClient({
    endpoint: url,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
}

/** Starts a Step Functions with functions of the test; both are closed after the test. */
export async function openWorld(
  definition: object,
  functions: Record<string, TestFunction> = {},
  options: Partial<StepFunctionsOptions> = {},
): Promise<World> {
  const calls: World["calls"] = [];
  const changes: StatusChange[] = [];
  const sfn = await startStepFunctions({
    definition,
    stateMachineArn,
    invoke: (name, payload) => {
      const given = Object(payload);
      calls.push({ name, payload: given });
      return run(functions[name], given);
    },
    onStatusChange: (change) => {
      changes.push(change);
    },
    ...options,
  });
  const client = createClient(sfn.url);
  opened.push({
    async close() {
      client.destroy();
      await sfn.close();
    },
  });
  const describe = (executionArn: string) => client.send(new DescribeExecutionCommand({ executionArn }));
  const history = async (executionArn: string) => {
    const events: HistoryEvent[] = [];
    for await (const page of paginateGetExecutionHistory({ client, pageSize: 1000 }, { executionArn })) {
      events.push(...(page.events ?? []));
    }
    return events;
  };
  return {
    sfn,
    client,
    calls,
    changes,
    describe,
    history,
    async start(input = {}, name) {
      const command = new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input), name });
      return (await client.send(command)).executionArn ?? "";
    },
    ended: (executionArn) =>
      until(async () => {
        const execution = await describe(executionArn);
        return execution.status === "RUNNING" ? undefined : execution;
      }),
    eventTypes: async (executionArn) => (await history(executionArn)).map((event) => event.type ?? ""),
  };
}

async function run(
  handler: TestFunction | undefined,
  payload: Record<string, unknown>,
): Promise<InvokeResult> {
  if (!handler)
    return { ok: false, errorType: "Lambda.ResourceNotFoundException", errorMessage: "no such function" };
  try {
    return { ok: true, payload: await handler(payload) };
  } catch (thrown) {
    if (thrown instanceof Error) return { ok: false, errorType: thrown.name, errorMessage: thrown.message };
    throw thrown;
  }
}

/** Waits until a condition gives something; fails after ten seconds. */
export async function until<T>(condition: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const giveUp = Date.now() + 10_000;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > giveUp) throw new Error("The condition did not come true in ten seconds.");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The seconds from each event of a type to the next event of another. */
export async function secondsBetween(
  world: World,
  executionArn: string,
  from: string,
  to: string,
): Promise<number[]> {
  const events = await world.history(executionArn);
  return events.flatMap((event, index) => {
    const next = event.type === from ? events.slice(index).find((later) => later.type === to) : undefined;
    if (!next?.timestamp || !event.timestamp) return [];
    return [(next.timestamp.getTime() - event.timestamp.getTime()) / 1000];
  });
}

/** A clock that stands still until it is moved. */
export function createClock(): { now: () => number; advance(seconds: number): void } {
  let time = 1_800_000_000_000;
  return {
    now: () => time,
    advance(seconds) {
      time += seconds * 1000;
    },
  };
}

/** A promise that the test settles. */
export function gate<T = unknown>(): { readonly opened: Promise<T>; open(value: T): void } {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** An error with the name that a handler would throw. */
export function named(name: string, message = "it went wrong"): Error {
  return Object.assign(new Error(message), { name });
}
