import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterEach } from "vitest";
import { type Dynamo, type DynamoOptions, startDynamo } from "../../local/dynamodb/dynamo.ts";
import type { WrittenKey } from "../../local/dynamodb/writes.ts";

export const TABLE = "things";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs when the test is over, last registered first. */
export function onCleanup(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

/** A data file in a directory that goes away with the test. */
export async function temporaryDataFile(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "stepyard-dynamodb-"));
  onCleanup(() => rm(directory, { recursive: true, force: true }));
  return join(directory, "data", "table.sqlite");
}

/** The real SDK's client for an endpoint. */
export function clientFor(url: string): DynamoDBDocumentClient {
  const client = new DynamoDBClient({
    endpoint: url,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  onCleanup(async () => client.destroy());
  return DynamoDBDocumentClient.from(client);
}

/** The key in DynamoDB's JSON. */
export function keyOf(pk: string, sk: string) {
  return { pk: { S: pk }, sk: { S: sk } };
}

export type Fixture = {
  readonly dynamo: Dynamo;
  readonly client: DynamoDBDocumentClient;
  /** Every call of `onWrite`, in order. */
  readonly told: (readonly WrittenKey[])[];
};

/** Engine and front with the table `things` (keys pk and sk; index `by-group` on group, keys only). */
export async function startFixture(options: Partial<DynamoOptions> = {}): Promise<Fixture> {
  const told: (readonly WrittenKey[])[] = [];
  const dynamo = await startDynamo({
    onWrite: (keys) => {
      told.push(keys);
    },
    ...options,
  });
  onCleanup(() => dynamo.close());
  const client = clientFor(dynamo.url);
  await createTable(client);
  return { dynamo, client, told };
}

export async function createTable(client: DynamoDBDocumentClient): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: TABLE,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: ["pk", "sk", "group"].map((AttributeName) => ({
        AttributeName,
        AttributeType: "S",
      })),
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: "by-group",
          KeySchema: [{ AttributeName: "group", KeyType: "HASH" }],
          Projection: { ProjectionType: "KEYS_ONLY" },
        },
      ],
    }),
  );
}

export type RawAnswer = {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: string;
};

/** One operation with its JSON as written, past the SDK. */
export function raw(url: string, operation: string, body: string): Promise<RawAnswer> {
  const headers = {
    "content-type": "application/x-amz-json-1.0",
    "x-amz-target": `DynamoDB_20120810.${operation}`,
    authorization:
      "AWS4-HMAC-SHA256 Credential=l/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
    "x-amz-date": "20260101T000000Z",
  };
  return new Promise((resolve, reject) => {
    const call = request(url, { method: "POST", headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
      );
    });
    call.on("error", reject);
    call.end(body);
  });
}
