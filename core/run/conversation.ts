import * as z from "zod";
import type { Json } from "../../contract/json.ts";
import { JsonValue } from "../../contract/schemas/common.ts";
import { blobKey } from "../../contract/table.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { SessionStore } from "../ports/store.ts";
import { type SessionEvent, StoredAnswer } from "../session/events.ts";
import type { SessionState, TranscriptPointer } from "../session/state.ts";
import { compacted } from "./compaction.ts";
import { repaired } from "./repair-plan.ts";
import { StoredEntry } from "./transcript.ts";

/** The conversation is checkpointed when the log after the last checkpoint holds this much of it. */
const CHECKPOINT_BYTES = 32 * 1024;
const LOG_PAGE = 100;

/** The conversation of a session: what checkpoints hold, then what the log adds. */
export type Conversation = {
  entries: StoredEntry[];
  /** The checkpoints that hold the first entries, and how many they hold. */
  segments: readonly number[];
  checkpointed: number;
  /** A compaction or a repair came after the last checkpoint: the next one begins anew. */
  outdated: boolean;
  /** How far into the log the entries reach. */
  reach: { sequence: number; version: number };
};

type Ports = { readonly store: SessionStore; readonly blobs: Blobs };

/** Reads the conversation: the segments in parallel, then the log after them. */
export async function loadConversation(ports: Ports, state: SessionState): Promise<Conversation> {
  const { segments, sequence, version } = state.transcript;
  const stored = await Promise.all(segments.map((segment) => loadSegment(ports.blobs, state.id, segment)));
  const entries = stored.flat();
  const conversation: Conversation = {
    entries,
    segments,
    checkpointed: entries.length,
    outdated: false,
    reach: { sequence, version },
  };
  await catchUp(ports, state.id, conversation);
  return conversation;
}

/** Adds what the log holds beyond the conversation's reach. */
export async function catchUp(ports: Ports, sessionId: string, conversation: Conversation): Promise<void> {
  for (let more = true; more; ) {
    const page = await ports.store.log(sessionId, conversation.reach, LOG_PAGE);
    await absorb(
      ports,
      sessionId,
      conversation,
      page.items.flatMap((commit) => commit.events),
    );
    const last = page.items.at(-1);
    if (last !== undefined) conversation.reach = { sequence: last.sequence, version: last.version };
    more = page.more;
  }
}

async function loadSegment(blobs: Blobs, sessionId: string, segment: number): Promise<StoredEntry[]> {
  const body = await blobs.get(blobKey.transcript(sessionId, segment));
  return z.array(StoredEntry).parse(JSON.parse(body));
}

/** Adds what these events say to the conversation. */
export async function absorb(
  { store, blobs }: Ports,
  sessionId: string,
  conversation: Conversation,
  events: readonly SessionEvent[],
): Promise<void> {
  const applied = events.flatMap((event) => (event.type === "input.applied" ? [event.inputId] : []));
  const inputs = applied.length > 0 ? await store.inputs(sessionId, applied) : new Map();
  for (const event of events) {
    if (event.type === "input.applied") {
      const input = inputs.get(event.inputId);
      if (input === undefined) throw new Error(`input ${event.inputId} has no record`);
      const content = z.array(JsonValue).parse(await blobs.fetch(input.content));
      conversation.entries.push({ type: "user", content, input: event.inputId });
    } else if (event.type === "engine.answered") {
      conversation.entries.push({ type: "answer", ...StoredAnswer.parse(await blobs.fetch(event.answer)) });
    } else if (event.type === "engine.script_ended") {
      const output = z.string().parse(await blobs.fetch(event.output));
      conversation.entries.push({ type: "script", id: event.scriptId, output, failed: event.failed });
    } else if (event.type === "engine.compacted") {
      const summary = event.summary && z.string().parse(await blobs.fetch(event.summary));
      replace(conversation, compacted(conversation.entries, event, summary));
    } else if (event.type === "engine.repaired") {
      replace(conversation, repaired(conversation.entries, event.repair));
    } else if (event.type === "engine.checkpointed") {
      // Where a run stands fences the commit: nothing came to the conversation since the segment was made of it.
      const { segments } = event.transcript;
      Object.assign(conversation, { segments, checkpointed: conversation.entries.length, outdated: false });
    }
  }
}

/** Checkpoints hold what was: the next one begins anew. */
function replace(conversation: Conversation, entries: StoredEntry[]): void {
  Object.assign(conversation, { entries, segments: [], checkpointed: 0, outdated: true });
}

/**
 * Uploads what is new as one immutable segment, after a compaction or once there is enough of it, and returns
 * the pointer that the next commit has to carry; null when there is nothing to do. The segment is named by the version
 * of the log it reaches: written twice, it is the same object.
 */
export async function checkpoint(
  blobs: Blobs,
  sessionId: string,
  conversation: Conversation,
): Promise<TranscriptPointer | null> {
  const fresh = conversation.entries.slice(conversation.checkpointed);
  const body = JSON.stringify(fresh as Json);
  const { reach, segments, outdated } = conversation;
  if ((body.length < CHECKPOINT_BYTES && !outdated) || reach.version === 0) return null;
  const { sequence, version } = reach;
  await blobs.put({ key: blobKey.transcript(sessionId, version), body });
  return { segments: [...segments, version], sequence, version };
}
