import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { partition, sort } from "../../contract/table.ts";
import { type NewReceipt, ReceiptConflict } from "../../core/ports/receipts.ts";
import { VersionConflict } from "../../core/ports/store.ts";
import type { SessionConfig } from "../../core/session/config.ts";
import type { Decision } from "../../core/session/decision.ts";
import { nextLook } from "../../core/session/look.ts";
import type { RecordChange } from "../../core/session/records.ts";
import type { SessionState } from "../../core/session/state.ts";
import { dueItem, encodeFields, recordKey } from "./items.ts";
import { lostReceipt, receiptAction } from "./receipts.ts";
import type { Action } from "./transactions.ts";

/** What a commit's actions are conditioned on, by name. */
const guards = {
  isNew: "attribute_not_exists(pk)",
  exists: "attribute_exists(pk)",
  isVersion: "version = :expected",
} as const;

type Table = { readonly client: DynamoDBDocumentClient; readonly name: string; readonly now: () => number };

/** Writes the first commit of a session with everything that makes it findable. */
export async function writeSession(
  table: Table,
  config: SessionConfig,
  decision: Decision,
  receipt?: NewReceipt,
): Promise<void> {
  const { state } = decision;
  const { name: TableName } = table;
  const listed = { sk: sort.session(state.id) };
  const actions = [
    { Put: { TableName, Item: headItem(table, state, 1), ConditionExpression: guards.isNew } },
    logAction(TableName, state, 1, decision),
    {
      Put: { TableName, Item: { pk: partition.session(state.id), sk: sort.config, ...encodeFields(config) } },
    },
    { Put: { TableName, Item: { pk: partition.project(state.projectId), ...listed } } },
    { Put: { TableName, Item: { pk: partition.subject(state.projectId, config.subjectId), ...listed } } },
    ...recordActions(TableName, state.id, decision.changes),
  ];
  await transact(table, actions, receipt);
}

/** Writes a decision on a version; throws `VersionConflict` when another commit came first. */
export async function writeCommit(
  table: Table,
  expected: number,
  decision: Decision,
  receipt?: NewReceipt,
): Promise<void> {
  const { state } = decision;
  const { name: TableName } = table;
  const version = expected + 1;
  const actions = [
    {
      Put: {
        TableName,
        Item: headItem(table, state, version),
        ConditionExpression: guards.isVersion,
        ExpressionAttributeValues: { ":expected": expected },
      },
    },
    logAction(TableName, state, version, decision),
    ...recordActions(TableName, state.id, decision.changes),
  ];
  await transact(table, actions, receipt);
}

/** The sweep erases what the request that deletes does not get to, a minute later. */
const ERASED_AFTER_MS = 60_000;

/** Removes what makes a session reachable; throws `VersionConflict` when another commit came first. */
export async function writeDeletion(
  table: Table,
  sessionId: string,
  expected: number,
  config: SessionConfig,
): Promise<void> {
  const { name: TableName } = table;
  const pk = partition.session(sessionId);
  const deletedAt = table.now();
  const at = new Date(deletedAt + ERASED_AFTER_MS).toISOString();
  const due = dueItem(sessionId, { lane: "rest", at });
  const listed = { sk: sort.session(sessionId) };
  const actions = [
    {
      Delete: {
        TableName,
        Key: { pk, sk: sort.head },
        ConditionExpression: guards.isVersion,
        ExpressionAttributeValues: { ":expected": expected },
      },
    },
    { Put: { TableName, Item: { pk, sk: sort.deleted, deletedAt, ...due } } },
    { Delete: { TableName, Key: { pk, sk: sort.config } } },
    { Delete: { TableName, Key: { pk: partition.project(config.projectId), ...listed } } },
    { Delete: { TableName, Key: { pk: partition.subject(config.projectId, config.subjectId), ...listed } } },
  ];
  await transact(table, actions, undefined);
}

/** The session as it lies in the table. */
export function headItem(table: Pick<Table, "now">, state: SessionState, version: number) {
  const look = nextLook(state, table.now());
  return {
    pk: partition.session(state.id),
    sk: sort.head,
    version,
    state: JSON.stringify(state),
    ...(look === null ? {} : dueItem(state.id, look)),
  };
}

function logAction(TableName: string, state: SessionState, version: number, decision: Decision): Action {
  const Item = {
    pk: partition.session(state.id),
    sk: sort.log(state.sequence, version),
    events: JSON.stringify(decision.events),
  };
  return { Put: { TableName, Item, ConditionExpression: guards.isNew } };
}

function recordActions(TableName: string, sessionId: string, changes: readonly RecordChange[]): Action[] {
  const puts = changes.filter((change) => "put" in change);
  const patches = changes.filter((change) => "patch" in change);
  return [
    ...puts.map(({ kind, put }): Action => {
      const Item = { ...keyOf(sessionId, kind, put.id), ...encodeFields(put) };
      return { Put: { TableName, Item, ConditionExpression: guards.isNew } };
    }),
    ...patches.map(({ kind, id, patch }): Action => {
      const fields = Object.entries(encodeFields(patch));
      return {
        Update: {
          TableName,
          Key: keyOf(sessionId, kind, id),
          UpdateExpression: `SET ${fields.map((_, i) => `#f${i} = :f${i}`).join(", ")}`,
          ConditionExpression: guards.exists,
          ExpressionAttributeNames: Object.fromEntries(fields.map(([name], i) => [`#f${i}`, name])),
          ExpressionAttributeValues: Object.fromEntries(fields.map(([, value], i) => [`:f${i}`, value])),
        },
      };
    }),
  ];
}

function keyOf(sessionId: string, kind: RecordChange["kind"], id: string) {
  const key = recordKey(sessionId, kind, id);
  if (key === null) throw new Error(`${id} is not a record of ${sessionId}`);
  return key;
}

/** Actions 0 and 1 are the head's version and the log's place: failing either means that the race was lost. */
const RACE_GUARDS = 2;

async function transact(table: Table, actions: Action[], receipt: NewReceipt | undefined): Promise<void> {
  const last = receipt === undefined ? [] : [receiptAction(table.name, receipt)];
  try {
    await table.client.send(new TransactWriteCommand({ TransactItems: [...actions, ...last] }));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    if (receipt !== undefined && lostReceipt(error)) {
      throw new ReceiptConflict("another request with this key came first", { cause: error });
    }
    if (lostRace(error)) {
      throw new VersionConflict("another commit came first", { cause: error });
    }
    throw error;
  }
}

function lostRace(error: TransactionCanceledException): boolean {
  const reasons = error.CancellationReasons ?? [];
  if (reasons.slice(0, RACE_GUARDS).some(({ Code }) => Code === "ConditionalCheckFailed")) return true;
  return reasons.some(({ Code }) => Code === "TransactionConflict");
}
