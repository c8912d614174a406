import { describe, expect, test } from "vitest";
import { submitResults } from "../../core/session/decide/calls.ts";
import type { CallRecord } from "../../core/session/records.ts";
import {
  activeRun,
  answer,
  callId,
  created,
  end,
  expire,
  fail,
  failed,
  inline,
  lose,
  ok,
  queue,
  resultFor,
  submit,
  submitTo,
  waiting,
} from "../support/commands.ts";
import { at, given, moment, story } from "../support/specification.ts";

const waitingFor = (calls: number) => story(created("queue"), ...waiting(calls));

describe("a batch is checked whole, in one order", () => {
  const two = waitingFor(2);

  test("one call twice comes first", () => {
    given(two)
      .when(submitTo("run_other", resultFor("call_x"), resultFor("call_x")))
      .thenRefused("duplicate_call_id");
    given(two)
      .when(submit(ok(0), ok(0)))
      .thenRefused("duplicate_call_id");
  });

  test("then calls that the session does not have", () => {
    given(two)
      .when(submitTo("run_other", ok(0), resultFor("call_x")))
      .thenRefused("not_found");
  });

  test("then calls that the platform executes", () => {
    const platform = platformCall(callId(two, 1));
    const records = new Map([...two.records.call, [platform.id, platform]]);
    const results = [ok(0)(two), ok(1)(two)];
    const decided = submitResults(two.state, { runId: "run_other", results, records, at: moment(9) });
    expect(decided).toMatchObject({ accepted: false, code: "invalid_tool_result" });
  });

  test("then calls of another run", () => {
    given(two)
      .when(submitTo("run_other", ok(0)))
      .thenRefused("tool_call_run_mismatch");
    const next = story(created("queue"), ...waiting(), queue(), end(), answer(), ...waiting());
    given(next)
      .when(submit(ok(1), ok(0)))
      .thenRefused("tool_call_run_mismatch");
    given(next)
      .when(submit(ok(1)))
      .then("tool.completed", "session.updated");
  });

  test("then each result, the first that does not fit", () => {
    const one = story(two, submit(ok(0)));
    given(one)
      .when(submit(failed(0), ok(1)))
      .thenRefused("tool_result_conflict");
    const expired = story(one, at(700, expire()));
    given(expired)
      .when(submit(failed(0), ok(1)))
      .thenRefused("tool_result_conflict");
    given(expired)
      .when(submit(ok(1), failed(0)))
      .thenRefused("tool_call_not_pending");
  });

  test("and one that does not fit keeps the others out", () => {
    const past = given(two, submit(ok(1))).when(submit(ok(0), failed(1)));
    past.thenRefused("tool_result_conflict");
    given(two, submit(ok(1)))
      .when(submit(ok(0)))
      .then("tool.completed", "session.updated");
  });

  function platformCall(id: string): CallRecord {
    const record = two.records.call.get(id);
    if (record === undefined) throw new Error(`${id} has no record`);
    return { ...record, execution: "platform", deadlineAt: null };
  }
});

describe("an identical retry", () => {
  const output = { name: "Ann", tags: ["a", "b"], nested: { x: 1, y: null } };
  const answered = story(waitingFor(2), submit(ok(0, output)));

  test("changes nothing", () => {
    given(answered)
      .when(submit(ok(0, output)))
      .thenNothing();
  });

  test("may have its keys in another order", () => {
    const reordered = { nested: { y: null, x: 1 }, tags: ["a", "b"], name: "Ann" };
    given(answered)
      .when(submit(ok(0, reordered)))
      .thenNothing();
  });

  test("may not have its lists in another order", () => {
    given(answered)
      .when(submit(ok(0, { ...output, tags: ["b", "a"] })))
      .thenRefused("tool_result_conflict");
  });

  test("conflicts with another output, an error, or null", () => {
    given(answered)
      .when(submit(ok(0, { ...output, extra: 1 })))
      .thenRefused("tool_result_conflict");
    given(answered)
      .when(submit(failed(0)))
      .thenRefused("tool_result_conflict");
    given(answered)
      .when(submit(ok(0, null)))
      .thenRefused("tool_result_conflict");
  });

  test("of an error is one, and conflicts with another message", () => {
    const past = story(waitingFor(1), submit(failed(0, "gone")));
    given(past)
      .when(submit(failed(0, "gone")))
      .thenNothing();
    given(past)
      .when(submit(failed(0, "away")))
      .thenRefused("tool_result_conflict");
    given(past)
      .when(submit(ok(0, { code: "not_there", message: "gone" })))
      .thenRefused("tool_result_conflict");
  });

  test("of null is one", () => {
    const past = story(waitingFor(1), submit(ok(0, null)));
    given(past)
      .when(submit(ok(0, null)))
      .thenNothing();
    given(past)
      .when(submit(ok(0, false)))
      .thenRefused("tool_result_conflict");
  });

  test("compares bodies that lie elsewhere by their reference", () => {
    const id = callId(answered, 1);
    const stored = { callId: id, outcome: { output: { blob: "sessions/s/bodies/a", bytes: 9_000 } } };
    const past = story(
      answered,
      submit(() => stored),
    );
    given(past)
      .when(submit(() => stored))
      .thenNothing();
    const other = { callId: id, outcome: { output: { blob: "sessions/s/bodies/b", bytes: 9_000 } } };
    given(past)
      .when(submit(() => other))
      .thenRefused("tool_result_conflict");
    given(past)
      .when(submit(ok(1)))
      .thenRefused("tool_result_conflict");
  });

  test("mixes with new results in one batch", () => {
    given(answered)
      .when(submit(ok(0, output), ok(1)))
      .then({ type: "tool.completed", callId: callId(answered, 1) }, "session.updated");
  });

  const run = activeRun(answered);
  test.each([
    ["completed", story(answered, end(), answer())],
    ["failed", story(answered, fail())],
    ["been interrupted", story(answered, lose())],
  ])("is acknowledged after the run has %s", (_, past) => {
    given(past)
      .when(submitTo(run, ok(0, output)))
      .thenNothing();
    given(past)
      .when(submitTo(run, ok(0, "other")))
      .thenRefused("tool_result_conflict");
  });
});

describe("a call that is no longer pending takes no result", () => {
  test("when its run failed or completed", () => {
    const two = waitingFor(2);
    const run = activeRun(two);
    given(two, fail())
      .when(submitTo(run, ok(0)))
      .thenRefused("tool_call_not_pending");
    given(two, end(), answer())
      .when(submitTo(run, ok(0)))
      .thenRefused("tool_call_not_pending");
  });

  test("when it expired, though the run still waits for another", () => {
    given(waitingFor(1), at(700, expire()))
      .when(submit(ok(0)))
      .thenRefused("tool_call_not_pending");
  });

  test("even where the result says what the record holds", () => {
    const past = story(waitingFor(1), at(700, expire()));
    const error = past.records.call.get(callId(past, 0))?.error ?? inline(null);
    given(past)
      .when(submit(() => ({ callId: callId(past, 0), outcome: { error } })))
      .thenRefused("tool_call_not_pending");
  });
});

test("a result that came before the run failed keeps its receipt", () => {
  const past = given(created("queue"), ...waiting(2), submit(ok(1)))
    .when(fail())
    .then("tool.cancelled", "run.failed", "session.updated");
  expect(past.records.call.get(callId(past, 1))).toMatchObject({ status: "completed", receipt: true });
  expect(past.records.call.get(callId(past, 0))).toMatchObject({ status: "cancelled", receipt: false });
  given(past, queue())
    .when(submitTo("run_spec0000000003", ok(1)))
    .thenNothing();
});

test("a session without a run has no pending calls", () => {
  given(created())
    .when(submit(resultFor("call_spec0000000001")))
    .thenRefused("not_found");
});
