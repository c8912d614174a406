import * as z from "zod";
import { AgentConfig } from "../../contract/schemas/agents.ts";
import { Content } from "../../contract/schemas/content.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { SessionStore } from "../ports/store.ts";
import type { SessionConfig } from "../session/config.ts";
import type { Payload } from "../session/payload.ts";
import type { CallRecord, InputRecord, MessageRecord } from "../session/records.ts";

/** Where presentation reads what the log only names. */
export type PresentPorts = { readonly store: SessionStore; readonly blobs: Blobs };

/** The records that a page of the log refers to. */
export type Records = {
  readonly sessionId: string;
  readonly config: SessionConfig;
  readonly agentConfig: AgentConfig;
  readonly inputs: ReadonlyMap<string, InputRecord>;
  readonly calls: ReadonlyMap<string, CallRecord>;
  readonly messages: ReadonlyMap<string, MessageRecord>;
};

export type RecordIds = {
  readonly inputs?: readonly string[];
  readonly calls?: readonly string[];
  readonly messages?: readonly string[];
};

/** Reads the session's configuration and the named records, all at once. Null when the session is gone. */
export async function loadRecords(
  ports: PresentPorts,
  sessionId: string,
  ids: RecordIds,
): Promise<Records | null> {
  const { store, blobs } = ports;
  const [config, inputs, calls, messages] = await Promise.all([
    store.config(sessionId),
    store.inputs(sessionId, unique(ids.inputs)),
    store.calls(sessionId, unique(ids.calls)),
    store.messages(sessionId, unique(ids.messages)),
  ]);
  if (config === null) return null;
  const agentConfig = AgentConfig.parse(await blobs.fetch(config.agentConfig));
  return { sessionId, config, agentConfig, inputs, calls, messages };
}

const unique = (ids: readonly string[] = []): string[] => [...new Set(ids)];

const ContentBlocks = z.array(Content);

export async function contentOf(blobs: Pick<Blobs, "fetch">, payload: Payload): Promise<Content[]> {
  return ContentBlocks.parse(await blobs.fetch(payload));
}

/** A record that an event names must exist: they were written in one transaction. */
export function required<T>(records: ReadonlyMap<string, T>, id: string): T {
  const record = records.get(id);
  if (record === undefined) throw new Error(`${id} has no record`);
  return record;
}
