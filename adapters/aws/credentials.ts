import { createHash } from "node:crypto";
import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { partition, sort } from "../../contract/table.ts";
import { getItem } from "./session-reads.ts";

const KeyItem = z.object({ projectId: z.string() });

export type Credentials = {
  /** The project of a bearer secret, or null. Read every time, so that a revoked key is refused at once. */
  project(secret: string): Promise<string | null>;
  put(secret: string, projectId: string): Promise<void>;
};

/** Project API keys. The table holds their hash and never the secret. */
export function createCredentials(options: {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}): Credentials {
  const { client, table: TableName } = options;
  const key = (secret: string) => ({ pk: partition.apiKey(sha256(secret)), sk: sort.apiKey });
  return {
    project: async (secret) => {
      const item = await getItem({ client, name: TableName }, key(secret));
      return item && KeyItem.parse(item).projectId;
    },
    put: async (secret, projectId) => {
      await client.send(new PutCommand({ TableName, Item: { ...key(secret), projectId } }));
    },
  };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
