import { createHash } from "node:crypto";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { partition, sort } from "../../contract/table.ts";
import type { Key } from "./items.ts";
import { getItem } from "./session-reads.ts";

const KeyItem = z.object({ projectId: z.string() });

export type Credentials = {
  /** The project of a bearer secret, or null. Read every time, so that a revoked key is refused at once. */
  project(secret: string): Promise<string | null>;
  /** Lets a secret of one's own choice act for a project, by a row that is in no list of keys. */
  put(secret: string, projectId: string): Promise<void>;
};

/** What project API keys are looked up by. The table holds their hash and never the secret. */
export function createCredentials(options: {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}): Credentials {
  const { client, table: TableName } = options;
  return {
    project: async (secret) => {
      const item = await getItem({ client, name: TableName }, lookupKey(hashOf(secret)));
      return item && KeyItem.parse(item).projectId;
    },
    put: async (secret, projectId) => {
      await client.send(new PutCommand({ TableName, Item: lookupItem(hashOf(secret), projectId) }));
    },
  };
}

/** SHA-256 of a secret, in hexadecimal. Enough for 256 random bits, which nobody tries out. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");

export const lookupKey = (secretSha256: string): Key => ({
  pk: partition.apiKey(secretSha256),
  sk: sort.apiKey,
});

export const lookupItem = (secretSha256: string, projectId: string) => ({
  ...lookupKey(secretSha256),
  projectId,
});
