import { describe, expect, test } from "vitest";
import { effects } from "../../core/session/effects.ts";
import {
  answer,
  apply,
  callId,
  created,
  end,
  fail,
  lose,
  nextLeg,
  ok,
  park,
  queue,
  request,
  retry,
  scripting,
  steer,
  submit,
  waiting,
} from "../support/commands.ts";
import { given, story } from "../support/specification.ts";

const run = "run_spec0000000003";

describe("execution loss", () => {
  test("interrupts a running run and pauses the session", () => {
    const past = given(created("queue"), apply(), steer(), queue())
      .when(lose())
      .then(
        { type: "run.interrupted", runId: run, error: { code: "harness_lost" } },
        {
          type: "session.updated",
          session: {
            status: "paused",
            activeRunId: run,
            activeRunStatus: "interrupted",
            pendingInputCount: 1,
          },
        },
      );
    expect(past.state.run).toMatchObject({ status: "interrupted", steering: [{ mode: "steer" }] });
    expect(past.records.run.size).toBe(0);
    expect(effects(past.state)).toEqual([]);
  });

  test("keeps pending calls and their deadlines", () => {
    const before = story(created("queue"), ...waiting(2));
    const past = given(before)
      .when(lose())
      .then("run.interrupted", {
        type: "session.updated",
        session: { activeRunStatus: "interrupted", pendingCallIds: [callId(before, 0), callId(before, 1)] },
      });
    expect(past.state.run?.calls).toEqual(before.state.run?.calls);
  });

  test("is recorded once", () => {
    given(created("queue"), apply(), lose()).when(lose()).thenRefused("stale");
  });

  test("of a run that has ended changes nothing", () => {
    given(created("queue"), apply(), answer()).when(lose(1, run)).thenRefused("stale");
    given(created("queue"), apply(), queue(), answer()).when(lose(1, run)).thenRefused("stale");
  });

  test("of a leg that is over does not interrupt the run that went on", () => {
    given(created("queue"), apply(), nextLeg()).when(lose(1)).thenRefused("stale");
    given(created("queue"), apply(), nextLeg()).when(lose(2)).then("run.interrupted", "session.updated");
  });

  test("before the run was taken up starts nothing any more", () => {
    const past = given(created("queue")).when(lose()).then("run.interrupted", "session.updated");
    expect(effects(past.state)).toEqual([]);
  });
});

describe("an interrupted run", () => {
  const interrupted = story(created("queue"), ...waiting(2), lose());

  test("takes results and stays interrupted when the last has come", () => {
    const past = given(interrupted)
      .when(submit(ok(0), ok(1)))
      .then("tool.completed", "tool.completed");
    expect(past.state).toMatchObject({ status: "paused", run: { status: "interrupted", calls: [] } });
    expect(effects(past.state)).toEqual([]);
  });

  test.each([
    ["apply inputs", apply()],
    ["record an answer", answer()],
    ["count a retry", retry(1)],
    ["request calls", request()],
    ["end its script", end()],
    ["fail", fail()],
    ["go on in another leg", nextLeg()],
    ["park", park()],
  ])("does not %s", (_, command) => {
    given(interrupted).when(command).thenRefused("stale");
    given(created("queue"), apply(), lose()).when(command).thenRefused("stale");
  });

  test("wakes nobody: its token went with its execution", () => {
    const past = given(created("queue"), ...waiting(), park(), lose())
      .when(submit(ok(0)))
      .then("tool.completed");
    expect(past.state.run).toMatchObject({ parked: null, waking: null });
  });
});

test("a script that ran when the execution was lost is not replayed for a later run", () => {
  const past = story(created("queue"), ...scripting(), lose());
  given(past).when(end()).thenRefused("stale");
});
