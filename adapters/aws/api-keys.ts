import { randomBytes } from "node:crypto";
import { type DynamoDBDocumentClient, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { partition, sort } from "../../contract/table.ts";
import type { ApiKeys, NewSecret } from "../../core/ports/api-keys.ts";
import { hashOf, lookupItem, lookupKey } from "./credentials.ts";
import { decodeFields, encodeFields } from "./items.ts";
import { getItem, queryRange } from "./session-reads.ts";
import { unlessCancelled } from "./transactions.ts";

const Listed = z.strictObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  createdAt: z.string(),
});
/** Where the key's other item lies, for its revocation. */
const Located = z.strictObject({ secretSha256: z.string() });

/** So that a secret in the wrong place is recognised by people and by scanners. */
const MARK = "stepyard_";
const SHOWN_BYTES = 4;
const HIDDEN_BYTES = 32;

const EXISTS = "attribute_exists(pk)";
const IS_NEW = "attribute_not_exists(pk)";
/** Revocations of one key at once: one does it, the others look again. */
const REVOKE_ATTEMPTS = 20;

/** Project API keys: each is an item to look it up by and an item of its project's list, written together. */
export function createApiKeys(options: {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}): ApiKeys {
  const { client, table: TableName } = options;
  const table = { client, name: TableName };
  const listKey = (projectId: string, id: string) => ({
    pk: partition.project(projectId),
    sk: sort.projectApiKey(id),
  });

  return {
    newSecret,
    create: async (projectId, key, secret) => {
      const secretSha256 = hashOf(secret);
      const listed = { ...listKey(projectId, key.id), ...encodeFields({ ...key, secretSha256 }) };
      const puts = [lookupItem(secretSha256, projectId), listed].map((Item) => ({
        Put: { TableName, Item, ConditionExpression: IS_NEW },
      }));
      await client.send(new TransactWriteCommand({ TransactItems: puts }));
    },
    list: async (projectId, before, limit) => {
      const after = sort.projectApiKey("");
      const range = { pk: partition.project(projectId), after, before: sort.projectApiKey(before ?? "~") };
      const { items, more } = await queryRange(table, { ...range, limit, descending: true });
      return { items: items.map((item) => decodeFields(Listed, item)), more };
    },
    revoke: async (projectId, id) => {
      for (let attempt = 0; attempt < REVOKE_ATTEMPTS; attempt += 1) {
        const Key = listKey(projectId, id);
        const item = await getItem(table, Key);
        if (item === null) return false;
        const { secretSha256 } = decodeFields(Located, item);
        const TransactItems = [
          { Delete: { TableName, Key, ConditionExpression: EXISTS } },
          { Delete: { TableName, Key: lookupKey(secretSha256) } },
        ];
        if (await unlessCancelled(client.send(new TransactWriteCommand({ TransactItems })))) return true;
      }
      throw new Error(`the API key ${id} is under too much contention`);
    },
  };
}

function newSecret(): NewSecret {
  const prefix = `${MARK}${randomBytes(SHOWN_BYTES).toString("hex")}`;
  return { prefix, secret: `${prefix}${randomBytes(HIDDEN_BYTES).toString("hex")}` };
}
