import { describe, expect, test } from "vitest";
import { expireCalls } from "../../core/session/decide/calls.ts";
import {
  answer,
  apply,
  callId,
  created,
  DEADLINE_SECONDS,
  end,
  expire,
  fail,
  lose,
  ok,
  queue,
  request,
  scripting,
  settleStop,
  steer,
  stop,
  submit,
  waiting,
} from "../support/commands.ts";
import { at, type Command, given, moment, type Past, story } from "../support/specification.ts";

/** Requested at second 3. */
const one = story(created("queue"), ...waiting());
const deadline = 3 + DEADLINE_SECONDS;

describe("the deadline is strict", () => {
  test("a result just before it is taken", () => {
    given(one)
      .when(at(deadline - 0.001, submit(ok(0))))
      .then("tool.completed", "session.updated");
  });

  test.each([0, 0.001, 60])("a result %d s after it is refused, expired or not", (late) => {
    given(one)
      .when(at(deadline + late, submit(ok(0))))
      .thenRefused("tool_call_not_pending");
  });

  test("nothing expires before it", () => {
    given(one)
      .when(at(deadline - 0.001, expire()))
      .thenNothing();
  });

  test("expires at it", () => {
    const past = given(one)
      .when(at(deadline, expire()))
      .then(
        { type: "tool.failed", callId: callId(one, 0), at: moment(deadline) },
        { type: "session.updated", session: { activeRunStatus: "running", pendingCallIds: [] } },
      );
    expect(past.records.call.get(callId(past, 0))).toMatchObject({
      status: "failed",
      error: { inline: { code: "tool_result_timeout" } },
      receipt: false,
    });
  });

  test("a result for a call that expired in the log's time is refused, though this host's clock is behind", () => {
    const past = story(one, at(deadline + 5, queue()));
    given(past)
      .when(at(deadline - 1, submit(ok(0))))
      .thenRefused("tool_call_not_pending");
  });
});

describe("expiry", () => {
  test("takes only the calls whose time has come, and happens once", () => {
    const two = story(one, request());
    const past = given(two)
      .when(at(deadline, expire()))
      .then({ type: "tool.failed", callId: callId(two, 0) });
    expect(past.state.run).toMatchObject({ status: "waiting_for_tools", calls: [{ id: callId(two, 1) }] });
    given(past).when(at(deadline, expire())).thenNothing();
  });

  test("leaves a batch with one overdue call unaccepted", () => {
    const two = story(one, request());
    given(two)
      .when(at(deadline, submit(ok(1), ok(0))))
      .thenRefused("tool_call_not_pending");
  });

  test("of an interrupted run fails the call and restarts nothing", () => {
    const past = given(one, lose()).when(at(deadline, expire())).then("tool.failed");
    expect(past.state).toMatchObject({ status: "paused", run: { status: "interrupted", calls: [] } });
  });

  test("of a call that its script left behind does not disturb the next", () => {
    const past = story(created("queue"), ...scripting(2), request(), end());
    given(past).when(at(deadline, expire())).then("tool.failed", "session.updated");
  });

  test("of nothing is nothing", () => {
    const decided = expireCalls(created().state, moment(9_999));
    expect(decided).toMatchObject({ accepted: true, events: [], changes: [] });
  });
});

describe("what ends the run finds a call whose deadline has passed, and one that is open", () => {
  /** The second call is requested ten seconds after the first. */
  const two = story(one, at(13, request()));
  const left = story(created("queue"), ...scripting(), request(), at(13, request()), at(14, end()));

  test.each<[string, Past, Command]>([
    ["a stop", two, stop()],
    ["a stop of an interrupted run", story(two, lose()), stop()],
    ["a failure", two, fail()],
    ["the last answer", left, answer()],
  ])("%s: the one timed out, the other is cancelled", (_, past, command) => {
    const ended = at(deadline, command)(past, "");
    if (!ended.accepted) throw new Error(ended.code);
    expect(ended.events.filter(({ type }) => type.startsWith("tool."))).toMatchObject([
      { type: "tool.failed", callId: callId(two, 0) },
      { type: "tool.cancelled", callId: callId(two, 1) },
    ]);
    const records = new Map(
      ended.changes.flatMap((change) => ("patch" in change ? [[change.id, change.patch]] : [])),
    );
    expect(records.get(callId(two, 0))).toMatchObject({
      status: "failed",
      error: { inline: { code: "tool_result_timeout" } },
    });
    expect(records.get(callId(two, 1))).toMatchObject({
      status: "cancelled",
      error: { inline: { code: "tool_call_cancelled" } },
    });
  });

  test("a stop that is settled later has nothing left to cancel", () => {
    given(two, at(deadline, stop())).when(settleStop()).then("run.stopped", "session.updated");
  });
});

test("a deadline counts from the time that the log shows, whatever this host's clock says", () => {
  const past = story(
    created("queue"),
    at(100, steer()),
    ...[apply(), answer(1)].map((step) => at(100, step)),
  );
  given(past)
    .when(at(7, request()))
    .then(
      { type: "tool.requested", at: moment(100), deadlineAt: moment(100 + DEADLINE_SECONDS) },
      "session.updated",
    );
});
