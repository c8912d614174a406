import assert from "node:assert/strict";
import { Session } from "../../contract/schemas/sessions.ts";
import { type Decision, snapshot } from "../../core/session/decision.ts";
import { effects } from "../../core/session/effects.ts";
import { isPublic, type PublicSessionEvent, SessionEvent, type Snapshot } from "../../core/session/events.ts";
import { fold } from "../../core/session/evolve.ts";
import { SessionState } from "../../core/session/state.ts";
import type { Past } from "../support/specification.ts";

/** Whatever is decided, these hold after it. Throws an AssertionError that says what does not. */
export function checkInvariants(before: Past, decision: Decision, after: Past): void {
  logIsTheTruth(after);
  logIsInOrder(after);
  stateIsPublishable(after);
  inputsAreAccountedFor(after);
  callsSettleOnce(before, after);
  runsEndOnce(after);
  followersKnowTheState(before, decision);
  sleepersAreWoken(before, decision);
  deadlinesAreStrict(before, decision);
  heldRunsRest(before, decision);
  statusMoves(before, decision);
}

function logIsTheTruth({ events, state }: Past): void {
  assert.deepStrictEqual(fold(events), state, "the log does not fold to the decision's state");
  assert.deepStrictEqual(SessionState.parse(state), state, "the state does not fit its schema");
  const stored: unknown = JSON.parse(JSON.stringify(state));
  assert.deepStrictEqual(
    effects(SessionState.parse(stored)),
    effects(state),
    "effects depend on more than state",
  );
  for (const event of events.slice(-6)) assert.deepStrictEqual(SessionEvent.parse(event), event);
}

function logIsInOrder({ events, state }: Past): void {
  const shown = events.filter(isPublic);
  for (const [index, event] of shown.entries()) {
    assert.equal(event.sequence, index + 1, "sequences are not dense");
    assert(index === 0 || event.at >= (shown[index - 1]?.at ?? ""), "the log's time goes back");
  }
  assert.equal(state.sequence, shown.length, "the state's sequence is not the last event's");
}

/** The session as a client gets it satisfies the contract's rules across its fields. */
function stateIsPublishable({ state, records }: Past): void {
  const { pendingCallIds, ...live } = snapshot(state);
  Session.parse({
    ...unchanging,
    id: state.id,
    status: live.status,
    active_run_id: live.activeRunId,
    active_run_status: live.activeRunStatus,
    pending_input_count: live.pendingInputCount,
    sandbox_id: live.sandboxId,
    last_event_sequence: state.sequence,
    created_at: state.createdAt,
    updated_at: state.updatedAt,
    pending_tool_calls: pendingCallIds.map((id) => {
      const record = records.call.get(id);
      assert.equal(record?.status, "requested", `${id} is pending and its record is not`);
      return {
        id,
        run_id: record.runId,
        tool: record.tool,
        connection_id: null,
        arguments: {},
        status: record.status,
        result: record.result,
        error: record.error,
        execution: record.execution,
        deadline_at: record.deadlineAt,
      };
    }),
  });
}

const unchanging = {
  subject_id: "tenant/user",
  title: null,
  agent: { id: "agt_spec", version: 1 },
  agent_config: {
    model: "openai/gpt-6.1-sol",
    model_api_key_id: "mkey_spec",
    instructions: "Help.",
    tools: [],
  },
  environment: { type: "none" },
  connections: [],
};

/** Every accepted input is held, applied or cancelled: exactly one of them, and its record says so. */
function inputsAreAccountedFor({ events, state, records }: Past): void {
  const held = [...state.queue, ...(state.run?.steering ?? [])].map(({ id }) => id);
  assert.equal(new Set(held).size, held.length, "an input is held twice");
  const applied = events.flatMap((event) => (event.type === "input.applied" ? [event.inputId] : []));
  const cancelled = events.flatMap((event) => (event.type === "input.cancelled" ? [event.inputId] : []));
  const accepted = events.flatMap((event) => (event.type === "input.accepted" ? [event.inputId] : []));
  assert.deepStrictEqual(
    [...held, ...applied, ...cancelled].sort(),
    [...accepted].sort(),
    "an input is lost or doubled",
  );
  for (const id of accepted) {
    const status = applied.includes(id) ? "applied" : cancelled.includes(id) ? "cancelled" : "accepted";
    assert.equal(records.input.get(id)?.status, status, `the record of ${id} disagrees with the log`);
  }
}

const settling = ["tool.completed", "tool.failed", "tool.cancelled"] as const;
const isSettling = (type: string): boolean => settling.some((known) => known === type);

function callsSettleOnce(before: Past, { events, records, state }: Past): void {
  const settled = events
    .filter((event) => isSettling(event.type))
    .flatMap((e) => ("callId" in e ? [e.callId] : []));
  assert.equal(new Set(settled).size, settled.length, "a call settled twice");
  const open = events.flatMap((event) => (event.type === "tool.requested" ? [event.callId] : []));
  assert.deepStrictEqual(
    (state.run?.calls ?? []).map(({ id }) => id),
    open.filter((id) => !settled.includes(id)),
    "the open calls are not those of the active run, in request order",
  );
  for (const [id, record] of before.records.call) {
    if (record.status !== "requested") {
      assert.deepStrictEqual(records.call.get(id), record, `${id} changed after it had settled`);
    }
  }
}

function runsEndOnce({ events, state, records }: Past): void {
  const terminal = ["run.completed", "run.failed", "run.stopped"];
  const ended = events.flatMap((e) => (terminal.includes(e.type) && "runId" in e ? [e.runId] : []));
  const begun = events.flatMap((event) => (event.type === "run.started" ? [event.runId] : []));
  assert.equal(new Set(ended).size, ended.length, "a run ended twice");
  const active = begun.filter((id) => !ended.includes(id));
  assert.deepStrictEqual(
    active,
    state.run === null ? [] : [state.run.id],
    "the active run is not the one that runs",
  );
  assert.deepStrictEqual([...records.run.keys()], ended, "a run that ended has no record");
  const first = events.flatMap((event) => (event.type === "run.started" ? [event.inputId] : []));
  assert.deepStrictEqual(first, [...first].sort(), "runs do not start in the order of their inputs");
  assert(
    state.status !== "active" || state.queue.length === 0 || state.run !== null,
    "queued input waits for nothing",
  );
  for (const id of ended) {
    const last = events.findLastIndex((event) => "runId" in event && event.runId === id);
    assert(terminal.includes(events[last]?.type ?? ""), `${id} has events after its end`);
  }
  const broken = new Set(["run.failed", "run.interrupted", "run.stopped"]);
  const since = events.slice(events.findLastIndex(({ type }) => broken.has(type)));
  const isResumed = since.some(
    (event) => event.type === "session.updated" && event.session.status === "active",
  );
  assert(
    !broken.has(since[0]?.type ?? "") || isResumed || state.status !== "active",
    "a session works on after a run that failed, stopped or was lost, and nobody resumed it",
  );
  assert(state.status !== "pausing" || state.run !== null, "a session pauses for nothing");
  assert(
    state.status !== "archived" || (state.run === null && state.queue.length === 0),
    "an archive holds work",
  );
}

/** What is accepted to stop or is paused goes no further. */
function heldRunsRest(before: Past, { events }: Decision): void {
  const { run, status } = before.state;
  if (run?.status === "stopping") {
    const rest = ["input.accepted", "input.cancelled", "run.stopped", "session.updated"];
    const more = events.filter(({ type }) => !rest.includes(type));
    assert.deepStrictEqual(more, [], "a stopping run works on");
  }
  if (status !== "active") {
    const begun = events.filter(({ type }) => type === "tool.requested" || type === "input.applied");
    assert.deepStrictEqual(begun, [], "a session that pauses begins something");
  }
}

const moves: readonly string[] = [
  "active to pausing",
  "active to paused",
  "pausing to paused",
  "paused to active",
  // The stop of a run that is paused.
  "paused to pausing",
  "active to archived",
  "paused to archived",
];

/** Only a resume lets a session work again: it has no other effect than that, and none on a run that was lost. */
function statusMoves({ state }: Past, decision: Decision): void {
  const { status, run } = decision.state;
  if (status === state.status) return;
  assert(moves.includes(`${state.status} to ${status}`), `the status goes from ${state.status} to ${status}`);
  if (status === "pausing" && state.status === "paused") assert.equal(run?.status, "stopping");
  if (status !== "active") return;
  const resuming = ["run.started", "session.updated", "engine.woken"];
  assert(
    decision.events.every(({ type }) => resuming.includes(type)),
    "a session is active again and nobody resumed it",
  );
  assert(run?.status !== "interrupted" && run?.status !== "stopping", "a run that is over was resumed");
}

/** A client that knew the session before and reads the decision's events knows it after. */
function followersKnowTheState(before: Past, decision: Decision): void {
  const shown = decision.events.filter(isPublic);
  const known = shown.reduce(follow, snapshot(before.state));
  assert.deepStrictEqual(known, snapshot(decision.state), "a client cannot tell the state from the events");
  for (const [index, event] of shown.entries()) {
    if (event.type !== "session.updated") continue;
    assert.equal(index, shown.length - 1, "session.updated is not the last event");
    assert.notDeepStrictEqual(
      visible(event.session),
      visible(snapshot(before.state)),
      "session.updated says nothing new",
    );
  }
}

const visible = ({ pendingCallIds: _, ...rest }: Snapshot) => rest;

function follow(known: Snapshot, event: PublicSessionEvent): Snapshot {
  const without = (id: string) => known.pendingCallIds.filter((pending) => pending !== id);
  switch (event.type) {
    case "session.updated":
    case "session.archived":
      return event.session;
    case "run.started":
      return { ...known, activeRunId: event.runId, activeRunStatus: "running" };
    case "tool.requested":
      return { ...known, pendingCallIds: [...known.pendingCallIds, event.callId] };
    case "tool.completed":
    case "tool.failed":
    case "tool.cancelled":
      return { ...known, pendingCallIds: without(event.callId) };
    default:
      return known;
  }
}

/**
 * The commit that settles a call of a parked run, or controls it, consumes its token and asks for its release.
 * A run that has a pause or a stop to settle does not sleep.
 */
function sleepersAreWoken({ state }: Past, decision: Decision): void {
  const after = decision.state;
  const held = after.status === "pausing" || after.run?.status === "stopping";
  assert(!held || after.run?.parked === null, "a run sleeps over what it has to settle");
  const token = state.run?.parked ?? null;
  const settled = decision.events.some(({ type }) => type === "tool.completed" || type === "tool.failed");
  const controlled =
    state.status !== after.status && after.run !== null && after.run.status !== "interrupted";
  // A run that ends has nothing to wake for: its execution finds that out when its time has come.
  const goesOn = after.run !== null && after.run.id === state.run?.id;
  if (token === null || !(controlled || (settled && goesOn && state.status === "active"))) return;
  assert.equal(decision.state.run?.parked, null, "the token is still there for another to consume");
  assert.deepStrictEqual(effects(decision.state), [{ kind: "wake", token }], "nobody wakes the run");
}

/** A result or a cancellation comes before the deadline, an expiry does not. */
function deadlinesAreStrict({ records }: Past, { events, changes }: Decision): void {
  for (const event of events) {
    if (!isSettling(event.type) || !("callId" in event)) continue;
    const deadline = records.call.get(event.callId)?.deadlineAt ?? "";
    const receipt = changes.some((c) => "patch" in c && c.id === event.callId && "receipt" in c.patch);
    assert(
      receipt || event.type === "tool.cancelled" ? event.at < deadline : event.at >= deadline,
      `${event.type} at ${event.at}, due ${deadline}`,
    );
  }
}
