/**
 * What clients may ask in every state of a session: the tables of post_sessions_session_id_inputs and of the
 * operations that control a session. A row has the outcome in each state: a code, the events, or nothing at all.
 */
import { describe, expect, test } from "vitest";
import {
  answer,
  apply,
  archive,
  cancel,
  created,
  end,
  expire,
  fail,
  lose,
  ok,
  park,
  pause,
  queue,
  request,
  resume,
  retry,
  settlePause,
  settleStop,
  steer,
  stop,
  submit,
  waiting,
} from "../support/commands.ts";
import { at, type Command, given, moment, next, type Past, story } from "../support/specification.ts";

/** A run with an input applied, another bound to it, and one queued behind it. */
const running = story(created("queue"), apply(), steer(), queue());
/** The same with two calls open, and parked. */
const waits = story(created("queue"), ...waiting(2), steer(), queue(), park("token"));
const pausing = story(running, pause());
const stopping = story(waits, stop());

const states = {
  idle: created(),
  running,
  waiting: waits,
  pausing,
  "pausing, waiting": story(waits, pause()),
  "paused, idle": story(created(), pause(), queue()),
  "paused, running": story(pausing, settlePause(), park("token")),
  "paused, waiting": story(waits, pause(), settlePause(), park("later")),
  stopping,
  stopped: story(stopping, settleStop()),
  failed: story(running, fail()),
  interrupted: story(waits, lose()),
  archived: story(created(), archive()),
} as const satisfies Record<string, Past>;
type StateName = keyof typeof states;

/** A refusal's code, or the types of the events; none: it is so already. */
type Outcome = string | readonly string[];
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
      running: ["input.accepted"],
      waiting: ["input.accepted"],
      pausing: "session_paused",
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
      running: accepted,
      waiting: accepted,
      pausing: accepted,
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
      running: [updated],
      waiting: [...cancelled, ...woken],
      pausing: [updated],
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
      running: [updated],
      waiting: woken,
      pausing: nothing,
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
      running: nothing,
      waiting: nothing,
      pausing: "session_pausing",
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
      running: "session_active",
      waiting: "session_active",
      pausing: "session_active",
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
      running: "not_found",
      waiting: ["tool.completed", "engine.woken"],
      pausing: "not_found",
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
      running: nothing,
      waiting: ["tool.failed", "tool.failed", "engine.woken", updated],
      pausing: nothing,
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
      running: ["run.interrupted", updated],
      waiting: ["run.interrupted", updated],
      pausing: ["run.interrupted", updated],
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

const outcomeOf = (past: Past, command: Command): Outcome => {
  const decision = command(past, next(past));
  return decision.accepted ? decision.events.map(({ type }) => type) : decision.code;
};

describe.each(Object.entries(table))("%s", (_, { command, ...outcomes }) => {
  test.each(Object.entries(outcomes))("in a session that is %s", (name, outcome) => {
    const past = states[name as StateName];
    expect(outcomeOf(past, command)).toEqual(outcome);
  });
});

describe("the engine", () => {
  const steps: readonly (readonly [string, Command])[] = [
    ["applies no input", apply()],
    ["requests nothing", request(1, { before: 2 })],
    ["waits for nothing", park("late")],
    ["counts no retry", retry(1)],
    ["fails nothing", fail()],
    ["records no answer", answer()],
    ["ends no script", end()],
  ];

  test.each(steps)("%s of a run that stops, was lost or has ended", (_, command) => {
    for (const past of [stopping, states.stopped, states.interrupted, states.archived]) {
      expect(outcomeOf(past, command)).toBe("stale");
    }
  });

  test("applies nothing and requests nothing of a session that pauses", () => {
    for (const past of [pausing, states["paused, running"]]) expect(outcomeOf(past, apply())).toBe("stale");
    const script = story(created("queue"), apply(), answer(1), pause());
    expect(outcomeOf(script, request(1))).toBe("stale");
    expect(outcomeOf(story(script, settlePause()), request(1))).toBe("stale");
  });

  test("settles what was under way when the pause came, and the session pauses behind it", () => {
    given(created("queue"), apply(), steer(), pause())
      .when(answer(1))
      .then("message.completed", "engine.answered");
    given(created("queue"), apply(), answer(1), steer(), pause()).when(end()).then("engine.script_ended");
    given(created("queue"), apply(), queue(), pause())
      .when(answer())
      .then("message.completed", "engine.answered", "run.completed", {
        type: updated,
        session: { status: "paused", activeRunId: null, pendingInputCount: 1 },
      });
  });

  test("applies what was bound before the pause after the resume", () => {
    const resumed = story(running, pause(), settlePause(), park("token"), resume());
    expect(outcomeOf(resumed, apply())).toEqual(["input.applied"]);
  });

  test("has nothing to settle where nothing was asked", () => {
    expect(outcomeOf(running, settleStop())).toBe("stale");
    expect(outcomeOf(running, settlePause())).toEqual(nothing);
    expect(outcomeOf(states.idle, settlePause())).toBe("stale");
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

describe("a cancellation", () => {
  const first = 0;
  const bound = 1;
  const queued = 2;

  test("takes a queued input out, in whatever state its session is", () => {
    for (const past of [running, waits, pausing, stopping, states.stopped, states.interrupted]) {
      given(past)
        .when(cancel(queued))
        .then({ type: "input.cancelled", reason: "customer_cancelled", runId: null }, updated);
    }
  });

  test("is done once, and may be asked for again", () => {
    given(running, cancel(queued)).when(cancel(queued)).thenNothing();
    given(states["paused, idle"], archive()).when(cancel(0)).thenNothing();
  });

  test("is too late for an input that has a run, whatever became of it", () => {
    given(running).when(cancel(first)).thenRefused("input_not_queued");
    given(running).when(cancel(bound)).thenRefused("input_not_queued");
    given(states.stopped).when(cancel(bound)).thenRefused("input_not_queued");
    given(states.stopped, resume()).when(cancel(queued)).thenRefused("input_not_queued");
  });

  test("of an input that the session does not have is not found", () => {
    given(running).when(cancel(9)).thenRefused("not_found");
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
