import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { parseSequencedId } from "../../contract/ids.ts";
import { partition, sort } from "../../contract/table.ts";
import type { Blobs, Upload } from "../../core/ports/blobs.ts";
import type { NewReceipt } from "../../core/ports/receipts.ts";
import type { Page, SessionStore } from "../../core/ports/store.ts";
import { SessionConfig } from "../../core/session/config.ts";
import {
  CallRecord,
  InputRecord,
  MessageRecord,
  type RecordChange,
  RunRecord,
} from "../../core/session/records.ts";
import { createRecent } from "../system/recent.ts";
import { decodeFields, type Key, recordKey } from "./items.ts";
import { dueSessions, postponeLook } from "./session-due.ts";
import { eraseSession } from "./session-erase.ts";
import { getItem, getItems, parseHead, queryRange, readLog, readTail } from "./session-reads.ts";
import { writeCommit, writeDeletion, writeSession } from "./session-writes.ts";

const Keys = z.object({ pk: z.string(), sk: z.string() });

/** Configurations never change and are at most some kilobytes each. */
const REMEMBERED_CONFIGS = 500;

/** Sessions in the one table. */
export function createSessionStore(options: {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
  readonly blobs: Blobs;
  readonly now: () => number;
}): SessionStore {
  const table = { client: options.client, name: options.table, now: options.now };
  const configs = createRecent<SessionConfig>(REMEMBERED_CONFIGS);
  const upload = (uploads: readonly Upload[], receipt: NewReceipt | undefined) => {
    const bodies = [...uploads, receipt?.upload ?? null].filter((body) => body !== null);
    return Promise.all(bodies.map((body) => options.blobs.put(body)));
  };

  const records = async <T extends { readonly id: string }>(
    schema: z.ZodObject<z.ZodRawShape> & z.ZodType<T>,
    kind: RecordChange["kind"],
    sessionId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, T>> => {
    const keys = ids.map((id) => recordKey(sessionId, kind, id)).filter((key): key is Key => key !== null);
    const items = await getItems(table, keys);
    return new Map(items.map((item) => decodeFields(schema, item)).map((record) => [record.id, record]));
  };

  const list = async <T>(
    schema: z.ZodObject<z.ZodRawShape> & z.ZodType<T>,
    sessionId: string,
    bounds: { after: string; before: string },
    limit: number,
  ): Promise<Page<T>> => {
    const page = await queryRange(table, { pk: partition.session(sessionId), ...bounds, limit });
    return { items: page.items.map((item) => decodeFields(schema, item)), more: page.more };
  };

  return {
    load: async (sessionId) => {
      const item = await getItem(table, { pk: partition.session(sessionId), sk: sort.head });
      return item && parseHead(item);
    },
    config: (sessionId) =>
      configs.get(sessionId, async () => {
        const item = await getItem(table, { pk: partition.session(sessionId), sk: sort.config });
        return item && decodeFields(SessionConfig, item);
      }),
    create: async (config, decision, uploads, receipt) => {
      await upload(uploads, receipt);
      await writeSession(table, config, decision, receipt);
    },
    commit: async (version, decision, uploads, receipt) => {
      await upload(uploads, receipt);
      await writeCommit(table, version, decision, receipt);
    },
    log: (sessionId, after, limit) => readLog(table, sessionId, after, limit),
    tail: (sessionId, after, limit) => readTail(table, sessionId, after, limit),
    inputs: (sessionId, ids) => records(InputRecord, "input", sessionId, ids),
    calls: (sessionId, ids) => records(CallRecord, "call", sessionId, ids),
    messages: (sessionId, ids) => records(MessageRecord, "message", sessionId, ids),
    runMessages: async (sessionId, runId) => {
      const run = parseSequencedId(runId, sessionId) ?? 0;
      const bounds = {
        after: sort.message(run, 0).slice(0, -8),
        before: `${sort.message(run, 0).slice(0, -8)}~`,
      };
      return (await list(MessageRecord, sessionId, bounds, Number.MAX_SAFE_INTEGER)).items;
    },
    run: async (sessionId, runId) => {
      const key = recordKey(sessionId, "run", runId);
      const item = key && (await getItem(table, key));
      return item && decodeFields(RunRecord, item);
    },
    listInputs: (sessionId, after, limit) =>
      list(InputRecord, sessionId, { after: sort.input(after), before: "INPUT#~" }, limit),
    listRuns: (sessionId, after, limit) =>
      list(RunRecord, sessionId, { after: sort.run(after), before: "RUN#~" }, limit),
    listSessions: async (projectId, { subjectId, before, limit }) => {
      const pk = subjectId === null ? partition.project(projectId) : partition.subject(projectId, subjectId);
      const bounds = {
        after: sort.session(""),
        before: before === null ? sort.session("~") : sort.session(before),
      };
      const page = await queryRange(table, { pk, ...bounds, limit, descending: true });
      return {
        items: page.items.map((item) => Keys.parse(item).sk.slice(sort.session("").length)),
        more: page.more,
      };
    },
    loadMany: async (ids) => {
      const keys = ids.flatMap((id) =>
        [sort.head, sort.config].map((sk) => ({ pk: partition.session(id), sk })),
      );
      const items = new Map(
        (await getItems(table, keys)).map((item) => [`${item["pk"]} ${item["sk"]}`, item]),
      );
      return ids.flatMap((id) => {
        const head = items.get(`${partition.session(id)} ${sort.head}`);
        const config = items.get(`${partition.session(id)} ${sort.config}`);
        if (head === undefined || config === undefined) return [];
        return [{ state: parseHead(head).state, config: decodeFields(SessionConfig, config) }];
      });
    },
    due: (lane, before) => dueSessions(table, lane, before),
    delete: (sessionId, version, config) => writeDeletion(table, sessionId, version, config),
    erase: (sessionId, most) => eraseSession(table, options.blobs, sessionId, most),
    postpone: (sessionId, version, until) => postponeLook(table, sessionId, version, until),
  };
}
