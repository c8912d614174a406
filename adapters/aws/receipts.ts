import { createHash } from "node:crypto";
import type { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { keyAttributes, partition, sort } from "../../contract/table.ts";
import type { NewReceipt, ReceiptPlace, Receipts } from "../../core/ports/receipts.ts";
import { Payload } from "../../core/session/payload.ts";
import { decodeFields, encodeFields, type Key } from "./items.ts";
import { getItem } from "./session-reads.ts";
import type { Action } from "./transactions.ts";

const Receipt = z.strictObject({ request: z.string(), status: z.int(), answer: Payload });
const Expiry = z.object({ [keyAttributes.ttl]: z.number() });

/** The table removes what has expired some time later, so whoever reads or writes compares the times. */
const IS_FREE = "attribute_not_exists(pk) OR #ttl <= :at";

/** Receipts of requests in the one table. */
export function createReceipts(table: {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}): Receipts {
  return {
    read: async (place, at) => {
      const item = await getItem(table, keyOf(place));
      if (item === null || Expiry.parse(item)[keyAttributes.ttl] <= at) return null;
      return decodeFields(Receipt, item);
    },
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  };
}

/** Writes the receipt if its place is free: one more action of the transaction that it belongs to. */
export function receiptAction(TableName: string, receipt: NewReceipt): Action {
  const { place, request, status, answer, at, expiresAt } = receipt;
  return {
    Put: {
      TableName,
      Item: { ...keyOf(place), ...encodeFields({ request, status, answer }), [keyAttributes.ttl]: expiresAt },
      ConditionExpression: IS_FREE,
      ExpressionAttributeNames: { "#ttl": keyAttributes.ttl },
      ExpressionAttributeValues: { ":at": at },
    },
  };
}

/** True when the transaction, whose last action writes a receipt, was cancelled for that one. */
export function lostReceipt({ CancellationReasons: reasons = [] }: TransactionCanceledException): boolean {
  const code = reasons.at(-1)?.Code;
  return code === "ConditionalCheckFailed" || code === "TransactionConflict";
}

function keyOf({ sessionId, id }: ReceiptPlace): Key {
  return sessionId === null
    ? { pk: partition.receipt(id), sk: sort.receipt("") }
    : { pk: partition.session(sessionId), sk: sort.receipt(id) };
}
