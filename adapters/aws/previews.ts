import { type DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { partition, sort } from "../../contract/table.ts";
import type { Previews } from "../../core/ports/previews.ts";

/** Short-lived items are gone some time after this many seconds; readers check the time themselves. */
const PREVIEW_SECONDS = 900;

const WatchItem = z.object({ until: z.number() });
const Chunk = z.object({ index: z.int(), contentIndex: z.int(), text: z.string() });
export const PreviewItem = z.object({ messageId: z.string(), runId: z.string(), chunks: z.array(Chunk) });

type Options = {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly now: () => number;
};

/** Previews in the table: one item a session, overwritten with the latest window. */
export function createPreviews({ client, table, now }: Options): Previews {
  const key = (sessionId: string, sk: string) => ({ pk: partition.session(sessionId), sk });
  const expiry = () => Math.ceil(now() / 1_000) + PREVIEW_SECONDS;
  return {
    watched: async (sessionId) => {
      const Key = key(sessionId, sort.watch);
      const { Item } = await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
      return Item !== undefined && WatchItem.parse(Item).until > now();
    },
    watch: async (sessionId, until) => {
      const Item = { ...key(sessionId, sort.watch), until: until.getTime(), ttl: expiry() };
      await client.send(new PutCommand({ TableName: table, Item }));
    },
    publish: async (sessionId, window) => {
      const Item = { ...key(sessionId, sort.preview), ...window, ttl: expiry() };
      await client.send(new PutCommand({ TableName: table, Item }));
    },
  };
}
