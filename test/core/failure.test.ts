import { expect, test } from "vitest";
import { effects } from "../../core/session/effects.ts";
import {
  answer,
  apply,
  callId,
  compact,
  created,
  end,
  fail,
  placeIn,
  queue,
  steer,
  waiting,
} from "../support/commands.ts";
import { given, moment, story } from "../support/specification.ts";

test("a failed run takes its calls and its unapplied steering with it, and pauses the session", () => {
  const before = story(created("queue"), ...waiting(2), steer(), steer(), queue());
  const past = given(before)
    .when(fail("model_error"))
    .then(
      { type: "tool.cancelled", callId: callId(before, 0) },
      { type: "tool.cancelled", callId: callId(before, 1) },
      { type: "input.cancelled", reason: "run_failed", runId: "run_spec0000000003" },
      { type: "input.cancelled", reason: "run_failed", runId: "run_spec0000000003" },
      { type: "run.failed", answers: 1, error: { code: "model_error" } },
      {
        type: "session.updated",
        session: { status: "paused", activeRunId: null, pendingInputCount: 1, pendingCallIds: [] },
      },
    );
  expect(past.state).toMatchObject({ status: "paused", run: null, queue: [{ mode: "queue" }] });
  expect(past.records.run.get("run_spec0000000003")).toMatchObject({
    status: "failed",
    error: { code: "model_error", message: "the model is gone" },
    endedAt: moment(7),
  });
  const cancelled = [...past.records.input.values()].filter(({ status }) => status === "cancelled");
  expect(cancelled).toHaveLength(2);
  expect(cancelled[0]).toMatchObject({
    cancellationReason: "run_failed",
    cancelledAt: moment(7),
    appliedAt: null,
  });
  expect(effects(past.state)).toEqual([]);
});

test("what was applied stays applied", () => {
  const past = story(created("queue"), apply(), fail());
  expect(past.records.input.get("inp_spec0000000002")).toMatchObject({
    status: "applied",
    cancelledAt: null,
  });
});

test("a run that fails before its first input is applied cancels that input", () => {
  given(created("queue"))
    .when(fail("model_api_key_unavailable"))
    .then({ type: "input.cancelled", inputId: "inp_spec0000000002" }, "run.failed", "session.updated");
});

test("a run fails once", () => {
  given(created("queue"), apply(), fail()).when(fail()).thenRefused("stale");
});

test("what failed at a place that the run has left does not fail it", () => {
  const asked = story(created("queue"), apply());
  const late = fail("model_error", placeIn(asked));
  given(asked, answer(1)).when(late).thenRefused("stale");
  given(asked, answer(1), end(), steer(), apply()).when(late).thenRefused("stale");
  given(asked, compact()).when(late).thenRefused("stale");
});

test("nothing more is recorded for a failed run", () => {
  const runId = "run_spec0000000003";
  const place = placeIn(story(created("queue"), apply()));
  given(created("queue"), apply(), fail()).when(answer(0, { place })).thenRefused("stale");
  given(created("queue"), apply(), fail()).when(apply(runId)).thenRefused("stale");
});
