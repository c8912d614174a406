import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  SFNClient,
} from "@aws-sdk/client-sfn";
import type { Laptop } from "../support/laptop.ts";
import { eventually } from "./talk.ts";

export const stateMachineArn = "arn:aws:states:us-east-1:000000000000:stateMachine:stepyard";

/** The ARN of the first execution of a run. */
export const executionOf = (runId: string): string =>
  `${stateMachineArn.replace(":stateMachine:", ":execution:")}:${runId}`;

export const sfn = (laptop: Laptop): SFNClient =>
  new SFNClient({
    endpoint: laptop.endpoints.stepfunctions,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });

/** The whole history of an execution. */
export async function historyOf(client: SFNClient, executionArn: string): Promise<HistoryEvent[]> {
  const events: HistoryEvent[] = [];
  let nextToken: string | undefined;
  do {
    const page = await client.send(
      new GetExecutionHistoryCommand({ executionArn, maxResults: 1_000, ...(nextToken && { nextToken }) }),
    );
    events.push(...(page.events ?? []));
    nextToken = page.nextToken;
  } while (nextToken !== undefined);
  return events;
}

/** Names of the states that were entered, in order. */
export const statesOf = (history: readonly HistoryEvent[]): string[] =>
  history.flatMap(({ stateEnteredEventDetails }) => stateEnteredEventDetails?.name ?? []);

/** Status of a run's execution, null when it was never started. */
export async function statusOf(client: SFNClient, runId: string): Promise<string | null> {
  try {
    return (
      (await client.send(new DescribeExecutionCommand({ executionArn: executionOf(runId) }))).status ?? null
    );
  } catch (error) {
    if (error instanceof Error && error.name === "ExecutionDoesNotExist") return null;
    throw error;
  }
}

/** Names of all executions. */
export async function executionNames(client: SFNClient): Promise<string[]> {
  const { executions } = await client.send(new ListExecutionsCommand({ stateMachineArn, maxResults: 1_000 }));
  return (executions ?? []).map(({ name }) => name ?? "");
}

const resting = ["TaskSubmitted", "WaitStateEntered"];

/** Resolves when every execution has ended, or waits for its task token or a time. */
export async function quiet(client: SFNClient): Promise<void> {
  const moving = async () => {
    const list = new ListExecutionsCommand({ stateMachineArn, statusFilter: "RUNNING", maxResults: 1_000 });
    const { executions = [] } = await client.send(list);
    const last = await Promise.all(
      executions.map(async ({ executionArn }) => {
        const end = { executionArn, reverseOrder: true, maxResults: 1 };
        return (await client.send(new GetExecutionHistoryCommand(end))).events?.[0]?.type;
      }),
    );
    return last.filter((type) => !resting.includes(type ?? ""));
  };
  await eventually(moving, (types) => types.length === 0);
}
