import { expect, test } from "vitest";
import { effects } from "../../core/session/effects.ts";
import { answer, apply, created } from "../support/commands.ts";
import { expectEvents, given, moment } from "../support/specification.ts";

test("creates an idle session with one event", () => {
  const { events, state } = created();
  expect(events).toEqual([
    { type: "session.created", sequence: 1, at: moment(0), sessionId: "ses_spec", projectId: "prj_spec" },
  ]);
  expect(state).toMatchObject({ status: "active", run: null, queue: [], sequence: 1 });
  expect(effects(state)).toEqual([]);
});

test.each(["steer", "queue"] as const)("starts a run with the first input, sent as %s", (mode) => {
  const { events, state, records } = created(mode);
  const input = "inp_spec0000000002";
  const run = "run_spec0000000003";
  expectEvents(
    events,
    { type: "session.created", sequence: 1 },
    { type: "input.accepted", sequence: 2, inputId: input, mode, runId: run },
    { type: "run.started", sequence: 3, runId: run, inputId: input },
  );
  expect(state.queue).toEqual([]);
  expect(state.run).toMatchObject({ id: run, status: "running", initialInputId: input, begun: false });
  expect(records.input.get(input)).toMatchObject({ status: "accepted", runId: run, createdAt: moment(0) });
  expect(effects(state)).toEqual([{ kind: "start", sessionId: "ses_spec", runId: run, leg: 1 }]);
});

test("a run of text alone is input, message, completion", () => {
  const past = given(created("queue"), apply())
    .when(answer())
    .then(
      { type: "message.completed", sequence: 5, runId: "run_spec0000000003" },
      "engine.answered",
      { type: "run.completed", sequence: 6, answers: 1, appliedInputIds: ["inp_spec0000000002"] },
      { type: "session.updated", sequence: 7, session: idle },
    );
  expectEvents(
    past.events,
    "session.created",
    "input.accepted",
    "run.started",
    "engine.begun",
    "input.applied",
    "message.completed",
    "engine.answered",
    "run.completed",
    "session.updated",
  );
  expect(past.records.run.get("run_spec0000000003")).toEqual({
    id: "run_spec0000000003",
    status: "completed",
    initialInputId: "inp_spec0000000002",
    appliedInputIds: ["inp_spec0000000002"],
    outputFileIds: [],
    error: null,
    startedAt: moment(0),
    endedAt: moment(2),
  });
  expect(effects(past.state)).toEqual([]);
});

const idle = {
  status: "active",
  activeRunId: null,
  activeRunStatus: null,
  pendingInputCount: 0,
  sandboxId: null,
  pendingCallIds: [],
};
