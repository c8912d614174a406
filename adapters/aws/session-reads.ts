import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { partition, sort } from "../../contract/table.ts";
import type { PreviewWindow } from "../../core/ports/previews.ts";
import type { Loaded, LogCommit, Page } from "../../core/ports/store.ts";
import { SessionEvent } from "../../core/session/events.ts";
import { SessionState } from "../../core/session/state.ts";
import type { Key } from "./items.ts";
import { PreviewItem } from "./previews.ts";

/** Every read is strongly consistent: a client that was told of a commit finds it. */
export type Table = { readonly client: DynamoDBDocumentClient; readonly name: string };

const HeadItem = z.object({ version: z.int().positive(), state: z.string() });
const LogItem = z.object({ sk: z.string(), events: z.string() });
const SortKey = z.object({ sk: z.string() });
const Events = z.array(SessionEvent);

export function parseHead(item: unknown): Loaded {
  const head = HeadItem.parse(item);
  return { version: head.version, state: SessionState.parse(JSON.parse(head.state)) };
}

export async function getItem(table: Table, key: Key): Promise<Record<string, unknown> | null> {
  const command = new GetCommand({ TableName: table.name, Key: key, ConsistentRead: true });
  return (await table.client.send(command)).Item ?? null;
}

const BATCH = 100;
const LARGEST_PAGE = 1_000;

/** Items by key, in no order; missing ones are left out. */
export async function getItems(table: Table, keys: readonly Key[]): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let at = 0; at < keys.length; at += BATCH) {
    let asked: Record<string, unknown>[] = keys.slice(at, at + BATCH).map((key) => ({ ...key }));
    while (asked.length > 0) {
      const RequestItems = { [table.name]: { Keys: asked, ConsistentRead: true } };
      const answer = await table.client.send(new BatchGetCommand({ RequestItems }));
      items.push(...(answer.Responses?.[table.name] ?? []));
      // Answers end at 16 MB; what is left over is asked for again.
      asked = answer.UnprocessedKeys?.[table.name]?.Keys ?? [];
    }
  }
  return items;
}

export type Range = {
  readonly pk: string;
  /** Exclusive bounds of the sort key. */
  readonly after: string;
  readonly before: string;
  readonly limit: number;
  readonly descending?: boolean;
};

/** Items of a partition between two sort keys, in order. `more` says that the range goes on. */
export async function queryRange(table: Table, range: Range): Promise<Page<Record<string, unknown>>> {
  const items: Record<string, unknown>[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        ConsistentRead: true,
        KeyConditionExpression: "pk = :pk AND sk BETWEEN :after AND :before",
        ExpressionAttributeValues: { ":pk": range.pk, ":after": range.after, ":before": range.before },
        ScanIndexForward: range.descending !== true,
        // One for each bound, which BETWEEN includes, and one to see whether there is more.
        Limit: Math.min(range.limit + 3 - items.length, LARGEST_PAGE),
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      }),
    );
    const inside = (answer.Items ?? []).filter((item) => isInside(SortKey.parse(item).sk, range));
    items.push(...inside);
    from = answer.LastEvaluatedKey;
  } while (from !== undefined && items.length <= range.limit);
  return { items: items.slice(0, range.limit), more: items.length > range.limit };
}

const isInside = (sk: string, range: Range): boolean => sk !== range.after && sk !== range.before;

const logKey = /^LOG#(\d{10})#(\d{10})$/;

/** Commits after a point of the log. Without a version: those that reach beyond the sequence. */
export async function readLog(
  table: Table,
  sessionId: string,
  after: { sequence: number; version?: number },
  limit: number,
): Promise<Page<LogCommit>> {
  const from =
    after.version === undefined ? sort.logAfter(after.sequence) : sort.log(after.sequence, after.version);
  const range = { pk: partition.session(sessionId), after: from, before: sort.logEnd, limit };
  const { items, more } = await queryRange(table, range);
  return { items: items.map(parseCommit), more };
}

/** The same up to the end of the log, and behind it the text being generated. */
export async function readTail(
  table: Table,
  sessionId: string,
  after: number,
  limit: number,
): Promise<Page<LogCommit> & { preview: PreviewWindow | null }> {
  const bounds = {
    pk: partition.session(sessionId),
    after: sort.logAfter(after),
    before: `${sort.preview}~`,
  };
  const { items, more } = await queryRange(table, { ...bounds, limit });
  const preview = items.find((item) => item["sk"] === sort.preview);
  const commits = items.filter((item) => item !== preview).map(parseCommit);
  return { items: commits, more, preview: preview === undefined ? null : PreviewItem.parse(preview) };
}

function parseCommit(item: unknown): LogCommit {
  const { sk, events } = LogItem.parse(item);
  const [, sequence, version] = logKey.exec(sk) ?? [];
  if (sequence === undefined || version === undefined) throw new Error(`${sk} is not a place in a log`);
  return { sequence: Number(sequence), version: Number(version), events: Events.parse(JSON.parse(events)) };
}
