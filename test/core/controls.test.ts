/**
 * What clients may ask in every state of a session: the tables of post_sessions_session_id_inputs and of the
 * operations that control a session. A row has the outcome in each state: a code, the events, or nothing at all.
 */
import { describe, expect, test } from "vitest";
import {
  archive,
  created,
  expire,
  lose,
  ok,
  pause,
  queue,
  resume,
  settleStop,
  steer,
  stop,
  submit,
} from "../support/commands.ts";
import { at, type Command, given, moment, story } from "../support/specification.ts";
import { type Outcome, outcomeOf, running, type StateName, states, stopping, waits } from "./states.ts";

const nothing: Outcome = [];

const updated = "session.updated";
const woken = [updated, "engine.woken"];
const accepted = ["input.accepted", updated];
const started = ["input.accepted", "run.started"];
const cancelled = ["tool.cancelled", "tool.cancelled"];

const table: Readonly<Record<string, { readonly command: Command } & Readonly<Record<StateName, Outcome>>>> =
  {
    steering: {
      command: steer(),
      idle: started,
      "not begun": ["input.accepted"],
      running: ["input.accepted"],
      scripting: ["input.accepted"],
      waiting: ["input.accepted"],
      pausing: "session_paused",
      "pausing, scripting": "session_paused",
      "pausing, waiting": "session_paused",
      "paused, idle": "session_paused",
      "paused, running": "session_paused",
      "paused, waiting": "session_paused",
      stopping: "run_stopping",
      stopped: "session_paused",
      failed: "session_paused",
      interrupted: "run_interrupted",
      archived: "session_archived",
    },
    "queued input": {
      command: queue(),
      idle: started,
      "not begun": accepted,
      running: accepted,
      scripting: accepted,
      waiting: accepted,
      pausing: accepted,
      "pausing, scripting": accepted,
      "pausing, waiting": accepted,
      "paused, idle": accepted,
      "paused, running": accepted,
      "paused, waiting": accepted,
      stopping: accepted,
      stopped: accepted,
      failed: accepted,
      interrupted: accepted,
      archived: "session_archived",
    },
    "a stop of the active run": {
      command: stop(),
      idle: "run_not_active",
      "not begun": [updated],
      running: [updated],
      scripting: [updated],
      waiting: [...cancelled, ...woken],
      pausing: [updated],
      "pausing, scripting": [updated],
      // The pause has consumed the token already.
      "pausing, waiting": [...cancelled, updated],
      "paused, idle": "run_not_active",
      "paused, running": woken,
      "paused, waiting": [...cancelled, ...woken],
      stopping: nothing,
      stopped: "run_not_active",
      failed: "run_not_active",
      interrupted: [...cancelled, "input.cancelled", "run.stopped", updated],
      archived: "run_not_active",
    },
    "a pause": {
      command: pause(),
      idle: [updated],
      "not begun": [updated],
      running: [updated],
      scripting: [updated],
      waiting: woken,
      pausing: nothing,
      "pausing, scripting": nothing,
      "pausing, waiting": nothing,
      "paused, idle": nothing,
      "paused, running": nothing,
      "paused, waiting": nothing,
      stopping: nothing,
      stopped: nothing,
      failed: nothing,
      interrupted: nothing,
      archived: "session_archived",
    },
    "a resume": {
      command: resume(),
      idle: nothing,
      "not begun": nothing,
      running: nothing,
      scripting: nothing,
      waiting: nothing,
      pausing: "session_pausing",
      "pausing, scripting": "session_pausing",
      "pausing, waiting": "session_pausing",
      "paused, idle": ["run.started", updated],
      "paused, running": woken,
      "paused, waiting": woken,
      stopping: "run_stopping",
      stopped: ["run.started", updated],
      failed: ["run.started", updated],
      interrupted: "run_interrupted",
      archived: "session_archived",
    },
    "an archive": {
      command: archive(),
      idle: ["session.archived"],
      "not begun": "session_active",
      running: "session_active",
      scripting: "session_active",
      waiting: "session_active",
      pausing: "session_active",
      "pausing, scripting": "session_active",
      "pausing, waiting": "session_active",
      "paused, idle": ["input.cancelled", "session.archived"],
      "paused, running": "session_active",
      "paused, waiting": "session_active",
      stopping: "session_active",
      stopped: ["input.cancelled", "session.archived"],
      failed: ["input.cancelled", "session.archived"],
      interrupted: "session_active",
      archived: nothing,
    },
    "a result of an open call": {
      command: submit(ok(0)),
      idle: "not_found",
      "not begun": "not_found",
      running: "not_found",
      scripting: "not_found",
      waiting: ["tool.completed", "engine.woken"],
      pausing: "not_found",
      "pausing, scripting": "not_found",
      "pausing, waiting": ["tool.completed"],
      "paused, idle": "not_found",
      "paused, running": "not_found",
      "paused, waiting": ["tool.completed"],
      stopping: "tool_call_not_pending",
      stopped: "tool_call_run_mismatch",
      failed: "not_found",
      interrupted: ["tool.completed"],
      archived: "not_found",
    },
    "deadlines that have passed": {
      command: at(100_000, expire()),
      idle: nothing,
      "not begun": nothing,
      running: nothing,
      scripting: nothing,
      waiting: ["tool.failed", "tool.failed", "engine.woken", updated],
      pausing: nothing,
      "pausing, scripting": nothing,
      "pausing, waiting": ["tool.failed", "tool.failed", updated],
      "paused, idle": nothing,
      "paused, running": nothing,
      "paused, waiting": ["tool.failed", "tool.failed", updated],
      stopping: nothing,
      stopped: nothing,
      failed: nothing,
      interrupted: ["tool.failed", "tool.failed"],
      archived: nothing,
    },
    "the loss of the execution": {
      command: lose(),
      idle: "stale",
      "not begun": ["run.interrupted", updated],
      running: ["run.interrupted", updated],
      scripting: ["run.interrupted", updated],
      waiting: ["run.interrupted", updated],
      pausing: ["run.interrupted", updated],
      "pausing, scripting": ["run.interrupted", updated],
      "pausing, waiting": ["run.interrupted", updated],
      "paused, idle": "stale",
      "paused, running": ["run.interrupted", updated],
      "paused, waiting": ["run.interrupted", updated],
      stopping: ["input.cancelled", "run.stopped", updated],
      stopped: "stale",
      failed: "stale",
      interrupted: "stale",
      archived: "stale",
    },
  };

describe.each(Object.entries(table))("%s", (_, { command, ...outcomes }) => {
  test.each(Object.entries(outcomes))("in a session that is %s", (name, outcome) => {
    const past = states[name as StateName];
    expect(outcomeOf(past, command)).toEqual(outcome);
  });
});

describe("a stop", () => {
  test("says in one transition that the run stops, the session pauses and nothing is pending", () => {
    const past = given(waits)
      .when(stop())
      .then(
        "tool.cancelled",
        "tool.cancelled",
        {
          type: updated,
          session: {
            status: "pausing",
            activeRunStatus: "stopping",
            pendingCallIds: [],
            pendingInputCount: 1,
          },
        },
        "engine.woken",
      );
    for (const record of past.records.call.values()) {
      expect(record).toMatchObject({
        status: "cancelled",
        error: { inline: { code: "tool_call_cancelled" } },
        receipt: false,
      });
    }
  });

  test("ends with its steering cancelled, its queue kept and the session paused", () => {
    const past = given(stopping)
      .when(settleStop())
      .then({ type: "input.cancelled", reason: "run_stopped" }, "run.stopped", {
        type: updated,
        session: { status: "paused", activeRunId: null, activeRunStatus: null, pendingInputCount: 1 },
      });
    expect(past.state).toMatchObject({ status: "paused", run: null });
    expect([...past.records.run.values()]).toMatchObject([{ status: "stopped", error: null }]);
  });

  test("of a run that has ended changes nothing, whatever runs since", () => {
    const ended = story(running, stop(), settleStop());
    const [first] = [...ended.records.run.keys()];
    for (const past of [ended, story(ended, resume()), story(ended, archive())]) {
      expect(outcomeOf(past, stop(first))).toEqual(nothing);
    }
  });

  test("keeps the receipts of results that came before it", () => {
    const past = story(waits, submit(ok(0)), stop());
    expect(outcomeOf(past, submit(ok(0)))).toEqual(nothing);
    expect(outcomeOf(past, submit(ok(0, { name: "Bob" })))).toBe("tool_result_conflict");
    expect(outcomeOf(past, submit(ok(1)))).toBe("tool_call_not_pending");
  });
});

test("a resume starts the oldest queued input and leaves the others queued", () => {
  const past = given(created(), pause(), queue("low"), queue("high"))
    .when(resume())
    .then("run.started", {
      type: updated,
      session: { status: "active", activeRunStatus: "running", pendingInputCount: 1 },
    });
  expect(past.state.run?.steering).toMatchObject([{ effort: "low" }]);
  expect(past.state.queue).toMatchObject([{ effort: "high" }]);
});

test("what a control settles has the time of the control", () => {
  const decision = stop()(waits, moment(500));
  expect(decision.accepted && decision.state.updatedAt).toBe(moment(500));
});
