import { describe, expect, test } from "vitest";
import { sendInput } from "../../core/session/decide/inputs.ts";
import {
  activeRun,
  answer,
  apply,
  created,
  end,
  fail,
  inline,
  lose,
  queue,
  scripting,
  steer,
  waiting,
} from "../support/commands.ts";
import { given, moment } from "../support/specification.ts";

describe("an idle session", () => {
  test.each([
    ["steer", steer()],
    ["queue", queue()],
  ])("starts a run with %s", (mode, command) => {
    const past = given(created())
      .when(command)
      .then(
        { type: "input.accepted", mode, runId: "run_spec0000000003" },
        { type: "run.started", runId: "run_spec0000000003", inputId: "inp_spec0000000002" },
      );
    expect(past.state.run?.steering).toHaveLength(1);
  });
});

describe("a running run", () => {
  test("binds steering, without more ado", () => {
    const past = given(created("queue"), apply())
      .when(steer())
      .then({ type: "input.accepted", runId: "run_spec0000000003" });
    expect(past.state.run?.steering.map(({ id }) => id)).toEqual(["inp_spec0000000005"]);
  });

  test("queues for a later run, which the session's state shows", () => {
    given(created("queue"), apply())
      .when(queue())
      .then(
        { type: "input.accepted", runId: null },
        { type: "session.updated", session: { pendingInputCount: 1 } },
      );
  });
});

describe("a waiting run", () => {
  test("binds steering and goes on waiting", () => {
    const past = given(created("queue"), ...waiting())
      .when(steer())
      .then("input.accepted");
    expect(past.state.run?.status).toBe("waiting_for_tools");
  });

  test("queues", () => {
    given(created("queue"), ...waiting())
      .when(queue())
      .then("input.accepted", { type: "session.updated", session: { pendingInputCount: 1 } });
  });
});

describe("a session that a failure has paused", () => {
  test("refuses steering", () => {
    given(created("queue"), apply(), fail()).when(steer()).thenRefused("session_paused");
  });

  test("keeps queued input and starts nothing", () => {
    const past = given(created("queue"), apply(), fail())
      .when(queue())
      .then("input.accepted", {
        type: "session.updated",
        session: { status: "paused", activeRunId: null, pendingInputCount: 1 },
      });
    expect(past.state.run).toBeNull();
  });
});

describe("an interrupted run", () => {
  test("refuses steering by its own code", () => {
    given(created("queue"), apply(), lose()).when(steer()).thenRefused("run_interrupted");
  });

  test("keeps queued input without starting anything", () => {
    given(created("queue"), apply(), lose())
      .when(queue())
      .then("input.accepted", {
        type: "session.updated",
        session: { status: "paused", activeRunStatus: "interrupted", pendingInputCount: 1 },
      });
  });
});

describe("queued inputs", () => {
  const two = [apply(), queue("low"), queue("high")] as const;

  test("start one run each, in acceptance order", () => {
    const first = given(created("queue"), ...two)
      .when(answer())
      .then("message.completed", "engine.answered", "run.completed", startOf(5), {
        type: "session.updated",
        session: { status: "active", activeRunStatus: "running", pendingInputCount: 1 },
      });
    const second = given(first, apply())
      .when(answer())
      .then("message.completed", "engine.answered", "run.completed", startOf(7), {
        type: "session.updated",
        session: { pendingInputCount: 0 },
      });
    expect(second.state.run?.initialInputId).toBe("inp_spec0000000007");
    expect(second.records.input.get("inp_spec0000000007")?.runId).toBe(activeRun(second));
  });

  test("are not applied to the run that is going on", () => {
    const past = given(created("queue"), queue())
      .when(apply())
      .then("engine.begun", { type: "input.applied", inputId: "inp_spec0000000002" });
    expect(past.state.queue).toHaveLength(1);
  });

  const startOf = (sequence: number) => ({
    type: "run.started" as const,
    inputId: `inp_spec${String(sequence).padStart(10, "0")}`,
  });
});

describe("steering", () => {
  test("sent before the first request is applied with the first input, in order", () => {
    const past = given(created("queue"), steer("low"), steer("high"))
      .when(apply())
      .then("engine.begun", applied(2), applied(4), applied(5));
    expect(past.state.run?.effort).toBe("high");
    expect(past.records.input.get("inp_spec0000000005")).toMatchObject({
      status: "applied",
      appliedAt: moment(3),
    });
  });

  test("keeps the run going when the answer arrives first", () => {
    const past = given(created("queue"), apply(), steer())
      .when(answer())
      .then("message.completed", "engine.answered");
    expect(past.state.run).toMatchObject({ status: "running", turn: { at: "model" }, answers: 1 });
    given(past).when(apply()).then(applied(5));
    given(past, apply())
      .when(answer())
      .then("message.completed", "engine.answered", "run.completed", "session.updated");
  });

  test("waits for the last script of an answer", () => {
    given(created("queue"), ...scripting(2), steer(), end())
      .when(end())
      .then("engine.script_ended", { type: "input.applied" });
    given(created("queue"), ...scripting(2), steer())
      .when(end())
      .then("engine.script_ended");
  });

  test("is not applied while a script runs", () => {
    given(created("queue"), ...scripting(), steer())
      .when(apply())
      .thenNothing();
  });

  const applied = (sequence: number) => ({
    type: "input.applied" as const,
    inputId: `inp_spec${String(sequence).padStart(10, "0")}`,
    runId: "run_spec0000000003",
  });
});

test("content stays in the record and never enters the log", () => {
  const secret = inline([{ type: "text", text: "a secret" }]);
  const decision = sendInput(created().state, { mode: "steer", effort: "off", content: secret }, moment(1));
  expect(JSON.stringify(decision.accepted && decision.events)).not.toContain("a secret");
  expect(decision).toMatchObject({ changes: [{ kind: "input", put: { content: secret } }] });
});
