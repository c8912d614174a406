import type { ErrorCode } from "../../contract/errors.ts";
import { sequencedId } from "../../contract/ids.ts";
import {
  type EngineEventBody,
  isPublic,
  type PublicEventBody,
  type SessionEvent,
  type Snapshot,
} from "./events.ts";
import { evolve } from "./evolve.ts";
import type { RecordChange } from "./records.ts";
import type { SessionState } from "./state.ts";

/** What a command leads to: events, in order, and the records they make or change. No events: nothing to do. */
export type Decision = {
  readonly accepted: true;
  readonly events: readonly SessionEvent[];
  readonly changes: readonly RecordChange[];
  readonly state: SessionState;
};

/**
 * A command that the state does not allow. `stale` is for the engine alone: the command belongs to an
 * execution, an answer or a script that is no longer current, and whoever sent it has to look again.
 */
export type Refusal = {
  readonly accepted: false;
  readonly code: ErrorCode | "stale";
  readonly message: string;
};

export function refuse(code: Refusal["code"], message: string): Refusal {
  return { accepted: false, code, message };
}

/** Collects the events of one decision, folding each so that the next sees its effect. */
export type Draft = {
  readonly at: string;
  readonly state: () => SessionState;
  readonly emit: (event: PublicEventBody) => void;
  readonly note: (event: EngineEventBody) => void;
  readonly change: (change: RecordChange) => void;
  /** The id that the next public event mints. */
  readonly mint: (prefix: "inp" | "run" | "call", ahead?: number) => string;
  /** Ends the decision; appends `session.updated` where the reference has one. */
  readonly finish: () => Decision;
};

/** The time that a decision has in the log. Hosts' clocks differ by milliseconds; the log's times never go back. */
export const logTime = (before: SessionState, now: string): string =>
  now < before.updatedAt ? before.updatedAt : now;

export function draft(before: SessionState, now: string): Draft {
  const at = logTime(before, now);
  let state = before;
  const events: SessionEvent[] = [];
  const changes: RecordChange[] = [];
  const add = (event: SessionEvent) => {
    state = evolve(state, event);
    events.push(event);
  };
  const emit = (body: PublicEventBody) => add({ ...body, sequence: state.sequence + 1, at });
  return {
    at,
    state: () => state,
    emit,
    note: (body) => add({ ...body, at }),
    change: (change) => changes.push(change),
    mint: (prefix, ahead = 0) => sequencedId(prefix, state.id, state.sequence + 1 + ahead),
    finish: () => {
      if (isUpdate(before, state, events)) emit({ type: "session.updated", session: snapshot(state) });
      return { accepted: true, events, changes, state };
    },
  };
}

/**
 * `session.updated` reports a changed status or queue. A run that starts in an idle session says so
 * itself (`run.started`), and so does an archived session.
 */
function isUpdate(before: SessionState, after: SessionState, events: readonly SessionEvent[]): boolean {
  const last = events.findLast(isPublic)?.type;
  if (last === undefined || last === "session.updated" || last === "session.archived") return false;
  if (before.status !== after.status || before.queue.length !== after.queue.length) return true;
  if (before.run === null) return false;
  return before.run.id !== after.run?.id || before.run.status !== after.run.status;
}

export function snapshot(state: SessionState): Snapshot {
  return {
    status: state.status,
    activeRunId: state.run?.id ?? null,
    activeRunStatus: state.run?.status ?? null,
    pendingInputCount: state.queue.length,
    sandboxId: state.sandboxId,
    pendingCallIds: pendingCalls(state).map((call) => call.id),
  };
}

/** Unresolved application calls of the active run, in request order (reference: get_sessions_session_id). */
export function pendingCalls(state: SessionState) {
  const run = state.run;
  if (run === null || (run.status !== "waiting_for_tools" && run.status !== "interrupted")) return [];
  return run.calls.filter((call) => call.execution === "application");
}
