import { describe, expect, test } from "vitest";
import { roomForCalls } from "../../core/session/decide/calls.ts";
import { limits } from "../../core/session/state.ts";
import {
  answer,
  callId,
  created,
  DEADLINE_SECONDS,
  end,
  failed,
  ok,
  placeIn,
  queue,
  request,
  scripting,
  submit,
  waiting,
} from "../support/commands.ts";
import { given, moment, story } from "../support/specification.ts";

describe("requesting calls", () => {
  test("commits requests, deadlines and the wait together", () => {
    const deadlineAt = moment(3 + DEADLINE_SECONDS);
    const past = given(created("queue"), ...scripting())
      .when(request(2))
      .then(
        {
          type: "tool.requested",
          callId: "call_spec0000000006",
          tool: "get_customer",
          ordinal: 0,
          deadlineAt,
        },
        { type: "tool.requested", callId: "call_spec0000000007", ordinal: 1, deadlineAt },
        {
          type: "session.updated",
          session: {
            activeRunStatus: "waiting_for_tools",
            pendingCallIds: ["call_spec0000000006", "call_spec0000000007"],
          },
        },
      );
    expect(past.records.call.get("call_spec0000000006")).toMatchObject({
      status: "requested",
      execution: "application",
      receipt: false,
      deadlineAt,
    });
  });

  test("dispatches a script's calls once", () => {
    const first = story(created("queue"), ...scripting(2));
    const again = request(2, placeIn(first));
    given(first, request(2)).when(again).thenRefused("stale");
    given(first, end()).when(again).thenRefused("stale");
    given(first, end(), end(), answer(2)).when(again).thenRefused("stale");
    given(created("queue"), ...scripting(), end())
      .when(request(1))
      .thenRefused("stale");
  });

  test("asks for more while others wait, without a change of state", () => {
    const past = given(created("queue"), ...waiting())
      .when(request())
      .then({ type: "tool.requested", ordinal: 1 });
    expect(past.state.run?.calls).toHaveLength(2);
  });

  test("has room for as many as the head holds", () => {
    const past = story(created("queue"), ...waiting(limits.openCalls - 1));
    expect(roomForCalls(past.state)).toBe(1);
    expect(roomForCalls(story(past, request()).state)).toBe(0);
    expect(roomForCalls(story(past, submit(ok(0))).state)).toBe(2);
    expect(roomForCalls(created().state)).toBe(limits.openCalls);
  });
});

describe("resolving calls", () => {
  test("a result completes its call and the last one lets the run go on", () => {
    const past = given(created("queue"), ...waiting())
      .when(submit(ok(0, { name: "Ann" })))
      .then(
        { type: "tool.completed", callId: "call_spec0000000006", runId: "run_spec0000000003" },
        { type: "session.updated", session: { activeRunStatus: "running", pendingCallIds: [] } },
      );
    expect(past.records.call.get("call_spec0000000006")).toMatchObject({
      status: "completed",
      result: { inline: { name: "Ann" } },
      error: null,
      receipt: true,
    });
  });

  test("an application's error fails the call and not the run", () => {
    const past = given(created("queue"), ...waiting())
      .when(submit(failed(0, "no such customer")))
      .then("tool.failed", { type: "session.updated", session: { activeRunStatus: "running" } });
    expect(past.records.call.get("call_spec0000000006")).toMatchObject({
      status: "failed",
      result: null,
      error: { inline: { code: "not_there", message: "no such customer" } },
      receipt: true,
    });
  });

  test("some of the results leave the run waiting for the others", () => {
    const past = given(created("queue"), ...waiting(3))
      .when(submit(ok(2), ok(0)))
      .then(
        { type: "tool.completed", callId: "call_spec0000000008" },
        {
          type: "tool.completed",
          callId: "call_spec0000000006",
        },
      );
    expect(past.state.run).toMatchObject({
      status: "waiting_for_tools",
      calls: [{ id: "call_spec0000000007" }],
    });
  });

  test("leaves queued input queued", () => {
    const past = story(created("queue"), ...waiting(), queue(), submit(ok(0)));
    expect(past.state.queue).toHaveLength(1);
  });

  test("of an earlier script goes on while a later one runs", () => {
    const past = story(created("queue"), ...scripting(2), request(), end(), request());
    given(past)
      .when(submit(ok(0)))
      .then({ type: "tool.completed", callId: callId(past, 0) });
  });
});

describe("completing a run", () => {
  test("cancels calls that nobody waited for, before the run ends", () => {
    const past = given(created("queue"), ...waiting(2), end())
      .when(answer())
      .then(
        "message.completed",
        "engine.answered",
        { type: "tool.cancelled", callId: "call_spec0000000006" },
        { type: "tool.cancelled", callId: "call_spec0000000007" },
        "run.completed",
        { type: "session.updated", session: { activeRunId: null, pendingCallIds: [] } },
      );
    expect(past.records.call.get("call_spec0000000006")).toMatchObject({
      status: "cancelled",
      error: { inline: { code: "tool_call_cancelled" } },
      receipt: false,
    });
  });
});
