import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll } from "vitest";
import { createBlobs } from "../../adapters/aws/blobs.ts";
import { createCatalog } from "../../adapters/aws/catalog.ts";
import { documentClient, s3Client } from "../../adapters/aws/clients.ts";
import { createPreviews } from "../../adapters/aws/previews.ts";
import { createSessionStore } from "../../adapters/aws/session-store.ts";
import { systemClock } from "../../adapters/system/clock.ts";
import { partition } from "../../contract/table.ts";
import type { Upload } from "../../core/ports/blobs.ts";
import type { SessionStore } from "../../core/ports/store.ts";
import type { SessionConfig } from "../../core/session/config.ts";
import { createSession } from "../../core/session/decide/create.ts";
import type { NewInput } from "../../core/session/decide/inputs.ts";
import type { Decision } from "../../core/session/decision.ts";
import type { Lane } from "../../core/session/look.ts";
import { tableDefinition } from "../../lib/definition.ts";
import { synthesize } from "../../lib/synthesize.ts";
import { startDynamo } from "../../local/dynamodb/dynamo.ts";
import { startS3 } from "../../local/s3/server.ts";
import { inline, PROJECT, userText } from "../support/commands.ts";
import { moment } from "../support/specification.ts";

const TABLE = "stepyard";
const BUCKET = "stepyard";
const SECRET = "local";

export type Stores = Awaited<ReturnType<typeof startStores>>;

/** The deployed table on a real engine, a bucket, and the adapters on both; all gone after the file's tests. */
export async function startStores() {
  const folder = await mkdtemp(join(tmpdir(), "stepyard-store-"));
  const dynamo = await startDynamo({ onWrite: () => undefined });
  const s3 = await startS3({ directory: join(folder, "s3"), buckets: [BUCKET], secretAccessKey: SECRET });
  Object.assign(process.env, {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    AWS_ENDPOINT_URL_S3: s3.url,
  });
  const client = documentClient();
  const bucket = s3Client();
  afterAll(async () => {
    client.destroy();
    bucket.destroy();
    await dynamo.close();
    await s3.close();
    await rm(folder, { recursive: true, force: true });
  });
  await createTable();
  const { now } = systemClock;
  const blobs = createBlobs({ client: bucket, bucket: BUCKET });
  return {
    folder,
    client,
    table: TABLE,
    counts: { dynamodb: dynamo.counts, s3: s3.counts },
    blobs,
    store: createSessionStore({ client, table: TABLE, blobs, now }),
    /** The same store through a client that the test has got hold of. */
    storeOn: (other: DynamoDBDocumentClient) =>
      createSessionStore({ client: other, table: TABLE, blobs, now }),
    catalog: createCatalog({ client, table: TABLE, blobs }),
    previews: createPreviews({ client, table: TABLE, now }),
  };
}

async function createTable(): Promise<void> {
  const client = new DynamoDBClient({});
  await client.send(new CreateTableCommand(tableDefinition(await synthesize(), TABLE)));
  client.destroy();
}

export const config: SessionConfig = {
  projectId: "prj_spec",
  title: null,
  agent: { id: "agt_spec", version: 1 },
  agentConfig: inline({
    model: "openai/gpt-6.1-sol",
    model_api_key_id: "mkey_spec",
    instructions: "Help.",
    tools: [],
  }),
  model: "openai/gpt-6.1-sol",
  environment: { type: "none" },
  connections: [],
  subjectId: "tenant/user",
};

let sessions = 0;
/** A session id that no other test of the file has. Ids sort in the order in which they were made. */
export const newSessionId = (): string => `ses_${String(++sessions).padStart(6, "0")}`;

/** Creates a session, with a first input where one is given; tells how it stands. */
export async function open(
  { store }: Pick<Stores, "store">,
  options: {
    readonly input?: NewInput["mode"];
    readonly content?: NewInput["content"];
    readonly uploads?: readonly Upload[];
    readonly projectId?: string;
    readonly subjectId?: string;
  } = {},
): Promise<{ readonly id: string; readonly decision: Decision }> {
  const { input: mode, content = userText("hello"), uploads = [], projectId = PROJECT } = options;
  const id = newSessionId();
  const input = mode === undefined ? null : ({ mode, effort: "medium", content } as const);
  const decision = createSession({ sessionId: id, projectId, input, at: moment(0) });
  const { subjectId = config.subjectId } = options;
  await store.create({ ...config, subjectId }, decision, uploads);
  return { id, decision };
}

/** Every item of the session as it lies in the table. */
export async function itemsOf({ client, table }: Pick<Stores, "client" | "table">, sessionId: string) {
  const answer = await client.send(
    new QueryCommand({
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": partition.session(sessionId) },
    }),
  );
  return answer.Items ?? [];
}

/** Ids of the sessions of a lane that are due, in all shards. */
export async function dueIn(store: SessionStore, lane: Lane, before: string): Promise<string[]> {
  const ids: string[] = [];
  for (const shard of store.due(lane, before)) for await (const { sessionId } of shard) ids.push(sessionId);
  return ids;
}
