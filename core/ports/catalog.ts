import type { Payload } from "../session/payload.ts";
import type { Upload } from "./blobs.ts";
import type { NewReceipt } from "./receipts.ts";
import type { Page } from "./store.ts";

export type StoredModelKey = {
  readonly id: string;
  readonly name: string;
  readonly provider: "openai" | "anthropic";
  readonly prefix: string;
  readonly suffix: string;
  /** The sealed key; only the vault opens it. */
  readonly sealed: string;
  readonly createdAt: string;
};

export type StoredAgent = {
  readonly id: string;
  readonly name: string;
  readonly latestVersion: number;
  readonly createdAt: string;
};

export type StoredAgentVersion = {
  readonly agentId: string;
  readonly version: number;
  /** An `AgentConfig`. */
  readonly config: Payload;
  readonly createdAt: string;
};

export type NewVersion = {
  readonly config: Payload;
  readonly upload: Upload | null;
  readonly createdAt: string;
};

/**
 * A project's agents and model keys. Lists are newest first; `before` is an id. What is created with a receipt is
 * created with it in one transaction, which throws `ReceiptConflict`.
 */
export type Catalog = {
  putModelKey(projectId: string, key: StoredModelKey, receipt?: NewReceipt): Promise<void>;
  modelKey(projectId: string, id: string): Promise<StoredModelKey | null>;
  listModelKeys(projectId: string, before: string | null, limit: number): Promise<Page<StoredModelKey>>;
  /** False when there is none. */
  deleteModelKey(projectId: string, id: string): Promise<boolean>;

  /** Creates an agent with its version 1, both or neither. */
  createAgent(
    projectId: string,
    agent: { id: string; name: string },
    first: NewVersion,
    receiptOf?: (created: StoredAgent) => NewReceipt | undefined,
  ): Promise<StoredAgent>;
  agent(projectId: string, id: string): Promise<StoredAgent | null>;
  listAgents(projectId: string, before: string | null, limit: number): Promise<Page<StoredAgent>>;
  renameAgent(projectId: string, id: string, name: string): Promise<StoredAgent | null>;
  /** Removes an agent and its versions from view; false when there is none. */
  deleteAgent(projectId: string, id: string): Promise<boolean>;
  /** Allocates the next version number; concurrent calls get distinct ones. Null when there is no such agent. */
  createVersion(
    projectId: string,
    agentId: string,
    version: NewVersion,
    receiptOf?: (created: StoredAgentVersion) => NewReceipt | undefined,
  ): Promise<StoredAgentVersion | null>;
  /** A version of an agent that exists. */
  version(projectId: string, agentId: string, version: number): Promise<StoredAgentVersion | null>;
};
