import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { blobKey, partition, sort } from "../../contract/table.ts";
import type { Blobs } from "../../core/ports/blobs.ts";
import { getItem, queryRange } from "./session-reads.ts";

/**
 * Whoever still works on a session when it is deleted may write into its partition or prefix, outside of any
 * commit, for as long as a function lives: bodies of a commit that loses, marks of those that watch. Fifteen
 * minutes are Lambda's limit. The tombstone stays as long, and before it goes all is erased once more.
 */
export const LAST_WRITER_MS = 16 * 60_000;

/** The most requests of a BatchWriteItem. */
const BATCH = 25;
const PAGE = 100;
/** Bounds of every sort key. */
const FIRST = " ";
const LAST = "~";

const Tombstone = z.object({ deletedAt: z.number() });
const Key = z.object({ pk: z.string(), sk: z.string() });
type Key = z.infer<typeof Key>;
type Table = { readonly client: DynamoDBDocumentClient; readonly name: string; readonly now: () => number };

/**
 * Erases what a deleted session left behind, at most `most` items and as many objects. The tombstone goes last;
 * while it is there, the sweep comes back. Does nothing without a tombstone.
 */
export async function eraseSession(
  table: Table,
  blobs: Pick<Blobs, "removeAll">,
  sessionId: string,
  most: number,
): Promise<void> {
  const key = { pk: partition.session(sessionId), sk: sort.deleted };
  const item = await getItem(table, key);
  if (item === null) return;
  const all = [
    await eraseItems(table, key.pk, most),
    await blobs.removeAll(blobKey.session(sessionId), most),
  ];
  if (all.includes(false)) return;
  const last = Tombstone.parse(item).deletedAt + LAST_WRITER_MS;
  if (table.now() < last) await lookAgain(table, key, last);
  else await table.client.send(new DeleteCommand({ TableName: table.name, Key: key }));
}

/** True when nothing but the tombstone is left. */
async function eraseItems(table: Table, pk: string, most: number): Promise<boolean> {
  for (let left = most; ; left -= PAGE) {
    const page = await queryRange(table, { pk, after: FIRST, before: LAST, limit: PAGE + 1 });
    const keys = page.items.map((item) => Key.parse(item)).filter(({ sk }) => sk !== sort.deleted);
    if (keys.length === 0) return true;
    if (left <= 0) return false;
    const batches = Array.from({ length: Math.ceil(keys.length / BATCH) }, (_, n) =>
      keys.slice(n * BATCH, (n + 1) * BATCH),
    );
    for (const batch of batches) await eraseBatch(table, batch);
  }
}

/** What the table does not get to is on the next page again. */
async function eraseBatch({ client, name }: Table, keys: readonly Key[]): Promise<void> {
  const requests = keys.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  await client.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
}

async function lookAgain({ client, name: TableName }: Table, Key: Key, at: number): Promise<void> {
  const command = new UpdateCommand({
    TableName,
    Key,
    UpdateExpression: "SET dueAt = :at",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":at": new Date(at).toISOString() },
  });
  await client.send(command).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
