import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createBlobs } from "../adapters/aws/blobs.ts";
import { documentClient, s3Client } from "../adapters/aws/clients.ts";
import { createSessionStore } from "../adapters/aws/session-store.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { type Round, type Swept, sweep } from "../core/run/sweep.ts";
import { tableDefinition } from "../lib/definition.ts";
import { synthesize } from "../lib/synthesize.ts";
import { startDynamo } from "../local/dynamodb/dynamo.ts";
import { startHolding } from "../test/support/holding.ts";
import { nthRun, nthSession, type Waiting, writeWaiting } from "../test/support/waiting.ts";

const TABLE = "stepyard";

/** A round as it was measured. */
export type Measured = Swept & {
  readonly ms: number;
  /** Requests to the table and descriptions of executions, by name. */
  readonly requests: Readonly<Record<string, number>>;
  readonly readUnits: number;
  readonly writeUnits: number;
};

/** The deployed table on the real engine, an engine for executions, and nothing else: what the sweep works on. */
export async function startSweepBed() {
  const dynamo = await startDynamo({ onWrite: () => undefined });
  const executions = await startHolding();
  Object.assign(process.env, {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
  });
  const control = new DynamoDBClient({});
  await control.send(new CreateTableCommand(tableDefinition(await synthesize(), TABLE)));
  control.destroy();
  const client = documentClient();
  const { now } = systemClock;
  const blobs = createBlobs({ client: s3Client(), bucket: TABLE });
  const store = createSessionStore({ client, table: TABLE, blobs, now });
  const ports = {
    store,
    executions,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined },
  };

  const counters = () => ({
    counts: { ...dynamo.counts },
    ...dynamo.capacity,
    described: executions.described(),
  });
  const measure = async (round: Round): Promise<Measured> => {
    const before = counters();
    const started = performance.now();
    const swept = await sweep(ports, round);
    const ms = performance.now() - started;
    const after = counters();
    const requests = Object.entries(after.counts).map(
      ([name, count]) => [name, count - (before.counts[name] ?? 0)] as const,
    );
    return {
      ...swept,
      ms,
      requests: {
        ...Object.fromEntries(requests.filter(([, count]) => count > 0)),
        DescribeExecution: after.described - before.described,
      },
      readUnits: after.read - before.read,
      writeUnits: after.write - before.write,
    };
  };
  return {
    write: (from: number, count: number, of: (n: number) => Waiting) =>
      writeWaiting({ client, name: TABLE, now }, { from, count }, of),
    carry: async (from: number, count: number) => {
      for (let n = from; n < from + count; n += 1)
        await executions.start({ sessionId: nthSession(n), runId: nthRun(n), leg: 1 });
    },
    measure,
    close: async () => {
      client.destroy();
      await executions.close();
      await dynamo.close();
    },
  };
}
