import * as z from "zod";
import { itemSize } from "./item-size.ts";

/** A key of the table as a KEYS_ONLY stream record has it. */
export type ItemKey = { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };

/**
 * An item that a committed request wrote. INSERT is known only from a condition that the key does not exist; any
 * other put or update is a MODIFY. A delete is a REMOVE whether or not there was an item.
 */
export type WrittenKey = {
  readonly tableName: string;
  readonly key: ItemKey;
  readonly eventName: "INSERT" | "MODIFY" | "REMOVE";
};

/** One write of a request: `key` is undefined for tables whose keys are not the strings `pk` and `sk`. */
export type Write = {
  readonly written: WrittenKey | undefined;
  /** Write units of the item outside of a transaction, as far as the request alone tells. */
  readonly units: number;
};

const keySchema = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
const itemSchema = z.record(z.string(), z.unknown());
const putSchema = z.object({
  TableName: z.string(),
  Item: itemSchema,
  ConditionExpression: z.string().optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
});
const keyedSchema = putSchema.omit({ Item: true }).extend({ Key: itemSchema });
const transactionSchema = z.object({
  TransactItems: z.array(
    z.object({
      Put: putSchema.optional(),
      Update: keyedSchema.optional(),
      Delete: keyedSchema.optional(),
      ConditionCheck: keyedSchema.optional(),
    }),
  ),
});
const batchSchema = z.record(
  z.string(),
  z.array(
    z.object({
      PutRequest: z.object({ Item: itemSchema }).optional(),
      DeleteRequest: z.object({ Key: itemSchema }).optional(),
    }),
  ),
);
const batchRequestSchema = z.object({ RequestItems: batchSchema });

type Put = z.infer<typeof putSchema>;
type Keyed = z.infer<typeof keyedSchema>;

const READERS: Readonly<Record<string, (body: unknown) => Write[]>> = {
  PutItem: (body) => [put(putSchema.parse(body))],
  UpdateItem: (body) => [update(keyedSchema.parse(body))],
  DeleteItem: (body) => [remove(keyedSchema.parse(body))],
  BatchWriteItem: (body) => batch(batchRequestSchema.parse(body).RequestItems),
  TransactWriteItems: (body) =>
    transactionSchema
      .parse(body)
      .TransactItems.flatMap((item) => [
        ...(item.Put ? [put(item.Put)] : []),
        ...(item.Update ? [update(item.Update)] : []),
        ...(item.Delete ? [remove(item.Delete)] : []),
        ...(item.ConditionCheck ? [{ written: undefined, units: 1 }] : []),
      ]),
};

/** True for the operations whose writes are seen. PartiQL statements are not among them. */
export function isWrite(operation: string): boolean {
  return Object.hasOwn(READERS, operation);
}

/** The writes of a request body in their order; none when the body is not one that the engine will take. */
export function readWrites(operation: string, body: Buffer): Write[] {
  try {
    return READERS[operation]?.(JSON.parse(body.toString("utf8"))) ?? [];
  } catch {
    return [];
  }
}

/** Leaves out the writes that a BatchWriteItem answer gives back as not done. */
export function withoutUnprocessed(writes: readonly Write[], answer: Buffer): readonly Write[] {
  const { success, data } = z
    .object({ UnprocessedItems: batchSchema })
    .safeParse(JSON.parse(answer.toString("utf8")));
  const left = new Set(success ? batch(data.UnprocessedItems).map((write) => laneOf(write)) : []);
  return left.size === 0 ? writes : writes.filter((write) => !left.has(laneOf(write)));
}

/** A name for the item that a write touches; writes of one item share it. */
export function laneOf({ written }: Write): string | undefined {
  return written && JSON.stringify([written.tableName, written.key.pk.S, written.key.sk.S]);
}

function put({ TableName, Item, ...condition }: Put): Write {
  const units = Math.max(1, Math.ceil(itemSize(Item) / 1024));
  return { written: key(TableName, Item, creates(condition) ? "INSERT" : "MODIFY"), units };
}

function update({ TableName, Key, ...condition }: Keyed): Write {
  return { written: key(TableName, Key, creates(condition) ? "INSERT" : "MODIFY"), units: 1 };
}

function remove({ TableName, Key }: Keyed): Write {
  return { written: key(TableName, Key, "REMOVE"), units: 1 };
}

function batch(items: z.infer<typeof batchSchema>): Write[] {
  return Object.entries(items).flatMap(([TableName, requests]) =>
    requests.flatMap(({ PutRequest, DeleteRequest }) => [
      ...(PutRequest ? [put({ TableName, Item: PutRequest.Item })] : []),
      ...(DeleteRequest ? [remove({ TableName, Key: DeleteRequest.Key })] : []),
    ]),
  );
}

function key(
  table: string,
  attributes: Record<string, unknown>,
  eventName: WrittenKey["eventName"],
): WrittenKey | undefined {
  const parsed = keySchema.safeParse(attributes);
  const tableName = table.replace(/^arn:.*:table\//, "");
  return parsed.success ? { tableName, key: parsed.data, eventName } : undefined;
}

/** True when the condition can hold only where there is no item. */
function creates(condition: Pick<Put, "ConditionExpression" | "ExpressionAttributeNames">): boolean {
  const expression = condition.ConditionExpression ?? "";
  if (/\b(?:or|not)\b/i.test(expression)) return false;
  const absent = [...expression.matchAll(/attribute_not_exists\s*\(\s*([#\w]+)\s*\)/g)].map(
    ([, name = ""]) => name,
  );
  return absent.some((name) => ["pk", "sk"].includes(condition.ExpressionAttributeNames?.[name] ?? name));
}
