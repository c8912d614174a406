import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, QueryCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { dueIndex, partition, sort } from "../../contract/table.ts";
import type { DueSession } from "../../core/ports/store.ts";
import type { Lane, Look } from "../../core/session/look.ts";
import { dueItem, dueShards } from "./items.ts";

type Table = { readonly client: DynamoDBDocumentClient; readonly name: string };

/** Keys of about 120 bytes: a page is two read units. */
const PAGE = 100;

const DueKey = z
  .object({ pk: z.string(), dueAt: z.string() })
  .transform(
    ({ pk, dueAt }): DueSession => ({ sessionId: pk.slice(partition.session("").length), at: dueAt }),
  );

/** Sessions of a lane that are due, shard by shard. */
export const dueSessions = (table: Table, lane: Lane, before: string): AsyncIterable<DueSession>[] =>
  dueShards(lane).map((shard) => dueInShard(table, shard, before));

async function* dueInShard(table: Table, shard: string, before: string): AsyncGenerator<DueSession> {
  let from: Record<string, unknown> | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: dueIndex.name,
        KeyConditionExpression: "#due = :shard AND #dueAt <= :before",
        ExpressionAttributeNames: { "#due": dueIndex.partition, "#dueAt": dueIndex.sort },
        ExpressionAttributeValues: { ":shard": shard, ":before": before },
        Limit: PAGE,
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    for (const item of answer.Items ?? []) yield DueKey.parse(item);
    from = answer.LastEvaluatedKey;
  } while (from !== undefined);
}

/** Moves the next look at a session. One that has moved on has a time of its own. */
export async function postponeLook(
  table: Table,
  sessionId: string,
  version: number,
  until: Look,
): Promise<void> {
  const { due, dueAt } = dueItem(sessionId, until);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { pk: partition.session(sessionId), sk: sort.head },
    UpdateExpression: "SET #due = :due, #dueAt = :at",
    ConditionExpression: "version = :version AND attribute_exists(#dueAt)",
    ExpressionAttributeNames: { "#due": dueIndex.partition, "#dueAt": dueIndex.sort },
    ExpressionAttributeValues: { ":due": due, ":at": dueAt, ":version": version },
  });
  await table.client.send(command).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
