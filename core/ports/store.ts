import type { SessionConfig } from "../session/config.ts";
import type { Decision } from "../session/decision.ts";
import type { SessionEvent } from "../session/events.ts";
import type { Lane, Look } from "../session/look.ts";
import type { CallRecord, InputRecord, MessageRecord, RunRecord } from "../session/records.ts";
import type { SessionState } from "../session/state.ts";
import type { Upload } from "./blobs.ts";
import type { PreviewWindow } from "./previews.ts";
import type { NewReceipt } from "./receipts.ts";

/** A session as it was read: `version` is what a commit on it expects. */
export type Loaded = { readonly state: SessionState; readonly version: number };

/** Another commit came first: load and decide again. Nothing was written. */
export class VersionConflict extends Error {
  override readonly name = "VersionConflict";
}

/** One commit of the log: the last public sequence it reaches, its version, its events. */
export type LogCommit = {
  readonly sequence: number;
  readonly version: number;
  readonly events: readonly SessionEvent[];
};

export type Page<T> = { readonly items: readonly T[]; readonly more: boolean };

/** A session that the sweep has to look at, and since when. */
export type DueSession = { readonly sessionId: string; readonly at: string };

/** The session's side of the table. Every read is strongly consistent. */
export type SessionStore = {
  load(sessionId: string): Promise<Loaded | null>;
  /** Immutable once created. */
  config(sessionId: string): Promise<SessionConfig | null>;
  /**
   * Writes a new session: head, configuration, log, records and the project's lists, and the request's receipt,
   * all or nothing. Throws `ReceiptConflict`.
   */
  create(
    config: SessionConfig,
    decision: Decision,
    uploads: readonly Upload[],
    receipt?: NewReceipt,
  ): Promise<void>;
  /**
   * Writes a decision made on `version`: the head, the log, the records and the request's receipt, all or
   * nothing. Throws `ReceiptConflict`, and `VersionConflict` when the session has moved on.
   */
  commit(
    version: number,
    decision: Decision,
    uploads: readonly Upload[],
    receipt?: NewReceipt,
  ): Promise<void>;
  /** Commits after a point of the log, oldest first, at most `limit` of them. */
  log(
    sessionId: string,
    after: { sequence: number; version?: number },
    limit: number,
  ): Promise<Page<LogCommit>>;
  /** The log after a sequence together with the text being generated, in one read. */
  tail(
    sessionId: string,
    after: number,
    limit: number,
  ): Promise<Page<LogCommit> & { preview: PreviewWindow | null }>;
  inputs(sessionId: string, ids: readonly string[]): Promise<ReadonlyMap<string, InputRecord>>;
  calls(sessionId: string, ids: readonly string[]): Promise<ReadonlyMap<string, CallRecord>>;
  messages(sessionId: string, ids: readonly string[]): Promise<ReadonlyMap<string, MessageRecord>>;
  /** Messages of a run, in order. */
  runMessages(sessionId: string, runId: string): Promise<readonly MessageRecord[]>;
  /** A run that has ended. */
  run(sessionId: string, runId: string): Promise<RunRecord | null>;
  /** Inputs in acceptance order, after the input with that sequence. */
  listInputs(sessionId: string, after: number, limit: number): Promise<Page<InputRecord>>;
  /** Ended runs, oldest first, after the run with that sequence. */
  listRuns(sessionId: string, after: number, limit: number): Promise<Page<RunRecord>>;
  /** Ids of the project's sessions, newest first, older than `before`. */
  listSessions(
    projectId: string,
    query: { subjectId: string | null; before: string | null; limit: number },
  ): Promise<Page<string>>;
  /** Several sessions with their configuration, in the order asked for; those that are gone are left out. */
  loadMany(ids: readonly string[]): Promise<readonly { state: SessionState; config: SessionConfig }[]>;
  /**
   * Sessions of a lane, deleted ones among them, that the sweep has to look at, oldest first in each shard. A shard
   * is read on as its sessions are taken, by any number of readers.
   */
  due(lane: Lane, before: string): readonly AsyncIterable<DueSession>[];
  /**
   * Makes a session unreachable at once: head, configuration and places in lists go, a tombstone comes for the
   * sweep. Throws `VersionConflict` when the session has moved on.
   */
  delete(sessionId: string, version: number, config: SessionConfig): Promise<void>;
  /** Erases what a deleted session left behind, at most about `most` items and objects. Any other is untouched. */
  erase(sessionId: string, most: number): Promise<void>;
  /** Moves the sweep's next look at a session that has not changed since `version`. */
  postpone(sessionId: string, version: number, until: Look): Promise<void>;
};
