import * as z from "zod";
import type { Json } from "../../contract/json.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Settlement } from "../ports/script.ts";
import type { SessionStore } from "../ports/store.ts";
import { isPublic, type SessionEvent } from "../session/events.ts";
import type { CallRecord } from "../session/records.ts";

const LOG_PAGE = 100;
const CallError = z.object({ code: z.string(), message: z.string() });

/** What a script did so far, read from the log: the calls it had dispatched and how they settled, in order. */
export type Journal = {
  readonly dispatched: ReadonlySet<number>;
  readonly settlements: readonly Settlement[];
  /** The last sequence that was read. */
  readonly seen: number;
};

type Settled = { readonly callId: string; readonly ordinal: number; readonly at: string };

/** Reads the journal of the script that started after `since` in this run. */
export async function readJournal(
  ports: { readonly store: SessionStore; readonly blobs: Blobs },
  script: { sessionId: string; runId: string; since: number },
): Promise<Journal> {
  const ordinals = new Map<string, number>();
  const settled: Settled[] = [];
  const after: { sequence: number; version?: number } = { sequence: script.since };
  for (let more = true; more; ) {
    const page = await ports.store.log(script.sessionId, after, LOG_PAGE);
    for (const commit of page.items) {
      for (const event of commit.events) follow(event, script.runId, ordinals, settled);
      after.sequence = commit.sequence;
      after.version = commit.version;
    }
    more = page.more;
  }
  const records = await ports.store.calls(
    script.sessionId,
    settled.map(({ callId }) => callId),
  );
  const settlements = await Promise.all(
    settled.map((call) => settlement(ports.blobs, call, records.get(call.callId))),
  );
  return { dispatched: new Set(ordinals.values()), settlements, seen: after.sequence };
}

function follow(event: SessionEvent, runId: string, ordinals: Map<string, number>, settled: Settled[]): void {
  if (!isPublic(event)) return;
  if (event.type === "tool.requested" && event.runId === runId) ordinals.set(event.callId, event.ordinal);
  if (event.type !== "tool.completed" && event.type !== "tool.failed") return;
  // A call of an earlier script of the run may settle while this one runs: it is not this script's.
  const ordinal = ordinals.get(event.callId);
  if (ordinal !== undefined) settled.push({ callId: event.callId, ordinal, at: event.at });
}

async function settlement(blobs: Blobs, call: Settled, record: CallRecord | undefined): Promise<Settlement> {
  if (record === undefined) throw new Error(`call ${call.callId} has no record`);
  const common = { ordinal: call.ordinal, at: Date.parse(call.at) };
  if (record.error !== null) {
    return { ...common, ok: false, error: CallError.parse(await blobs.fetch(record.error)) };
  }
  const value: Json = record.result === null ? null : await blobs.fetch(record.result);
  return { ...common, ok: true, value };
}
