import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { partition, sort } from "../../contract/table.ts";
import type { Blobs, Upload } from "../../core/ports/blobs.ts";
import type { Catalog, NewVersion, StoredAgentVersion } from "../../core/ports/catalog.ts";
import { type NewReceipt, ReceiptConflict } from "../../core/ports/receipts.ts";
import type { Page } from "../../core/ports/store.ts";
import { Payload } from "../../core/session/payload.ts";
import { decodeFields, encodeFields } from "./items.ts";
import { lostReceipt, receiptAction } from "./receipts.ts";
import { getItem, queryRange } from "./session-reads.ts";
import { type Action, unlessCancelled } from "./transactions.ts";

const ModelKey = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.enum(["openai", "anthropic"]),
  prefix: z.string(),
  suffix: z.string(),
  sealed: z.string(),
  createdAt: z.string(),
});
const Agent = z.strictObject({
  id: z.string(),
  name: z.string(),
  latestVersion: z.int().positive(),
  createdAt: z.string(),
});
const Version = z.strictObject({
  agentId: z.string(),
  version: z.int().positive(),
  config: Payload,
  createdAt: z.string(),
});

const EXISTS = "attribute_exists(pk)";
const IS_NEW = "attribute_not_exists(pk)";
/** Two versions created at once: the loser takes the next number. */
const VERSION_ATTEMPTS = 20;

type Options = {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly blobs: Pick<Blobs, "put">;
};

/** Agents and model keys of a project, all in the project's partition. Ids are time-ordered, so lists sort by id. */
export function createCatalog({ client, table: TableName, blobs }: Options): Catalog {
  const table = { client, name: TableName };
  const keyOf = (projectId: string, sk: string) => ({ pk: partition.project(projectId), sk });

  const read = async <T>(
    schema: z.ZodObject<z.ZodRawShape> & z.ZodType<T>,
    projectId: string,
    sk: string,
  ) => {
    const item = await getItem(table, keyOf(projectId, sk));
    return item && decodeFields(schema, item);
  };
  const list = async <T>(
    schema: z.ZodObject<z.ZodRawShape> & z.ZodType<T>,
    projectId: string,
    bounds: { prefix: string; before: string | null },
    limit: number,
  ): Promise<Page<T>> => {
    const before = `${bounds.prefix}${bounds.before ?? "~"}`;
    const range = { pk: partition.project(projectId), after: bounds.prefix, before, limit, descending: true };
    const page = await queryRange(table, range);
    return { items: page.items.map((item) => decodeFields(schema, item)), more: page.more };
  };
  const remove = (projectId: string, sk: string): Promise<boolean> =>
    whenExists(
      client.send(new DeleteCommand({ TableName, Key: keyOf(projectId, sk), ConditionExpression: EXISTS })),
    );
  const versionItem = (projectId: string, agentId: string, number: number, version: NewVersion) => {
    const stored = { agentId, version: number, config: version.config, createdAt: version.createdAt };
    return {
      stored,
      item: { ...keyOf(projectId, sort.agentVersion(agentId, number)), ...encodeFields(stored) },
    };
  };
  const upload = async (body: Upload | null) => {
    if (body !== null) await blobs.put(body);
  };
  const transact = async (TransactItems: Action[], receipt: NewReceipt | undefined) => {
    if (receipt === undefined) return void (await client.send(new TransactWriteCommand({ TransactItems })));
    await upload(receipt.upload);
    try {
      const actions = [...TransactItems, receiptAction(TableName, receipt)];
      await client.send(new TransactWriteCommand({ TransactItems: actions }));
    } catch (error) {
      if (!(error instanceof TransactionCanceledException) || !lostReceipt(error)) throw error;
      throw new ReceiptConflict("another request with this key came first", { cause: error });
    }
  };

  return {
    putModelKey: async (projectId, key, receipt) => {
      const Item = { ...keyOf(projectId, sort.modelKey(key.id)), ...encodeFields(key) };
      const Put = { TableName, Item, ConditionExpression: IS_NEW };
      if (receipt === undefined) await client.send(new PutCommand(Put));
      else await transact([{ Put }], receipt);
    },
    modelKey: (projectId, id) => read(ModelKey, projectId, sort.modelKey(id)),
    listModelKeys: (projectId, before, limit) =>
      list(ModelKey, projectId, { prefix: sort.modelKey(""), before }, limit),
    deleteModelKey: (projectId, id) => remove(projectId, sort.modelKey(id)),

    createAgent: async (projectId, { id, name }, first, receiptOf) => {
      await upload(first.upload);
      const agent = { id, name, latestVersion: 1, createdAt: first.createdAt };
      const Item = { ...keyOf(projectId, sort.agent(id)), ...encodeFields(agent) };
      const version = versionItem(projectId, id, 1, first).item;
      const TransactItems = [
        { Put: { TableName, Item, ConditionExpression: IS_NEW } },
        { Put: { TableName, Item: version, ConditionExpression: IS_NEW } },
      ];
      await transact(TransactItems, receiptOf?.(agent));
      return agent;
    },
    agent: (projectId, id) => read(Agent, projectId, sort.agent(id)),
    listAgents: (projectId, before, limit) =>
      list(Agent, projectId, { prefix: sort.agent(""), before }, limit),
    renameAgent: async (projectId, id, name) => {
      const renamed = await whenExists(
        client.send(
          new UpdateCommand({
            TableName,
            Key: keyOf(projectId, sort.agent(id)),
            UpdateExpression: "SET #name = :name",
            ConditionExpression: EXISTS,
            ExpressionAttributeNames: { "#name": "name" },
            ExpressionAttributeValues: { ":name": JSON.stringify(name) },
          }),
        ),
      );
      return renamed ? read(Agent, projectId, sort.agent(id)) : null;
    },
    deleteAgent: (projectId, id) => remove(projectId, sort.agent(id)),
    createVersion: async (projectId, agentId, version, receiptOf) => {
      await upload(version.upload);
      for (let attempt = 0; attempt < VERSION_ATTEMPTS; attempt += 1) {
        const agent = await read(Agent, projectId, sort.agent(agentId));
        if (agent === null) return null;
        const { stored, item } = versionItem(projectId, agentId, agent.latestVersion + 1, version);
        const actions = allocation(TableName, keyOf(projectId, sort.agent(agentId)), stored, item);
        if (await unlessCancelled(transact(actions, receiptOf?.(stored)))) return stored;
      }
      throw new Error(`agent ${agentId} is under too much contention`);
    },
    version: async (projectId, agentId, number) => {
      const agent = await read(Agent, projectId, sort.agent(agentId));
      return agent && read(Version, projectId, sort.agentVersion(agentId, number));
    },
  };
}

/** Writes a version with the agent's new number, if the number is still the next one. */
function allocation(
  TableName: string,
  Key: { pk: string; sk: string },
  stored: StoredAgentVersion,
  Item: Record<string, unknown>,
): Action[] {
  const next = JSON.stringify(stored.version);
  const before = JSON.stringify(stored.version - 1);
  return [
    {
      Update: {
        TableName,
        Key,
        UpdateExpression: "SET latestVersion = :next",
        ConditionExpression: "latestVersion = :before",
        ExpressionAttributeValues: { ":next": next, ":before": before },
      },
    },
    { Put: { TableName, Item } },
  ];
}

async function whenExists(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
