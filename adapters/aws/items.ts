import * as z from "zod";
import { parseSequencedId } from "../../contract/ids.ts";
import { dueIndex, partition, sort } from "../../contract/table.ts";
import { parseMessageId } from "../../core/session/ids.ts";
import type { Lane, Look } from "../../core/session/look.ts";
import type { RecordChange } from "../../core/session/records.ts";

export type Key = { readonly pk: string; readonly sk: string };

/**
 * A record is an item with one attribute a field, each as JSON text: DynamoDB's own maps end at 32 levels
 * and know neither empty keys nor lone surrogates, and a field can still be changed alone.
 */
export function encodeFields(record: object): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, JSON.stringify(value)]));
}

const Item = z.record(z.string(), z.unknown());

/** Parses an item's fields against the record's schema; what else the item has is left out. */
export function decodeFields<T>(schema: z.ZodObject<z.ZodRawShape> & z.ZodType<T>, item: unknown): T {
  const attributes = Item.parse(item);
  const fields = Object.keys(schema.shape).flatMap((name) => {
    const text = attributes[name];
    return typeof text === "string" ? [[name, JSON.parse(text)] as const] : [];
  });
  return schema.parse(Object.fromEntries(fields));
}

/** Where a record of the session lies; null when the id is not one of the session's. */
export function recordKey(sessionId: string, kind: RecordChange["kind"], id: string): Key | null {
  const pk = partition.session(sessionId);
  if (kind === "message") {
    const message = parseMessageId(id, sessionId);
    return message && { pk, sk: sort.message(message.run, message.number) };
  }
  const sequence = parseSequencedId(id, sessionId);
  if (sequence === null) return null;
  if (kind === "input") return { pk, sk: sort.input(sequence) };
  return { pk, sk: kind === "call" ? sort.call(sequence) : sort.run(sequence) };
}

/** Where a session waits for the sweep: each lane of the index is spread over shards by the session's id. */
export function dueItem(
  sessionId: string,
  { lane, at }: Look,
): { readonly due: string; readonly dueAt: string } {
  const last = sessionId.charCodeAt(sessionId.length - 1);
  return { due: dueShard(lane, last % dueIndex.shards), dueAt: at };
}

export const dueShards = (lane: Lane): string[] =>
  Array.from({ length: dueIndex.shards }, (_, shard) => dueShard(lane, shard));

const dueShard = (lane: Lane, shard: number): string => `${dueIndex.lanes[lane]}#${shard}`;
