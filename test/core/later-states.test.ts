/**
 * No command leads to a session that is pausing or archived, nor to a run that is stopping, and what those
 * states mean for the commands that exist is decided all the same. Only here a state is written by hand.
 */
import { describe, expect, test } from "vitest";
import { SessionState } from "../../core/session/state.ts";
import {
  answer,
  apply,
  created,
  expire,
  fail,
  lose,
  ok,
  park,
  queue,
  request,
  steer,
  submit,
  waiting,
} from "../support/commands.ts";
import { at, type Command, expectEvents, moment, type Past, story } from "../support/specification.ts";

const running = story(created("queue"), apply(), steer(), queue());
const asked = story(created("queue"), ...waiting(2), steer(), queue(), park("token"));

const withState = (past: Past, change: (state: SessionState) => object): Past => ({
  ...past,
  state: SessionState.parse({ ...past.state, ...change(past.state) }),
});
const pausing = (past: Past) => withState(past, () => ({ status: "pausing" }));
const stopping = (past: Past) =>
  withState(past, ({ run }) => ({ status: "pausing", run: { ...run, status: "stopping" } }));
const archived = withState(created(), () => ({ status: "archived" }));

const decide = (past: Past, command: Command) => command(past, moment(20));
function accepted(past: Past, command: Command) {
  const decision = decide(past, command);
  if (!decision.accepted) throw new Error(decision.code);
  return decision;
}

describe("a pausing session", () => {
  test("refuses steering and keeps queued input", () => {
    expect(decide(pausing(running), steer())).toMatchObject({ accepted: false, code: "session_paused" });
    const queued = accepted(pausing(running), queue());
    expectEvents(queued.events, "input.accepted", "session.updated");
  });

  test("is paused when its run completes, and starts no other", () => {
    const { events, state } = accepted(pausing(story(running, apply())), answer());
    expectEvents(events, "message.completed", "engine.answered", "run.completed", {
      type: "session.updated",
      session: { status: "paused", activeRunId: null, pendingInputCount: 1 },
    });
    expect(state).toMatchObject({ status: "paused", run: null, queue: [{ mode: "queue" }] });
  });

  test("takes results and lets calls expire, waking nobody", () => {
    const taken = accepted(pausing(asked), submit(ok(0)));
    expectEvents(taken.events, "tool.completed");
    expect(taken.state.run).toMatchObject({ status: "waiting_for_tools", parked: "token" });
    expectEvents(
      accepted(pausing(asked), at(700, expire())).events,
      "tool.failed",
      "tool.failed",
      "session.updated",
    );
  });
});

describe("a stopping run", () => {
  test("refuses steering and keeps queued input", () => {
    expect(decide(stopping(running), steer())).toMatchObject({ accepted: false, code: "run_stopping" });
    expectEvents(accepted(stopping(running), queue()).events, "input.accepted", "session.updated");
  });

  test.each([
    ["a new result", submit(ok(0)), "tool_call_not_pending"],
    ["an answer", answer(), "stale"],
    ["requests", request(1, { before: 2 }), "stale"],
    ["a failure", fail(), "stale"],
    ["a token", park(), "stale"],
  ])("takes no %s", (_, command, code) => {
    expect(decide(stopping(asked), command)).toMatchObject({ accepted: false, code });
  });

  test("is stopped by the loss of its execution, not interrupted", () => {
    const { events, state, changes } = accepted(stopping(asked), lose());
    expectEvents(
      events,
      "tool.cancelled",
      "tool.cancelled",
      { type: "input.cancelled", reason: "run_stopped" },
      "run.stopped",
      { type: "session.updated", session: { status: "paused", activeRunId: null, pendingInputCount: 1 } },
    );
    expect(state).toMatchObject({ status: "paused", run: null, queue: [{ mode: "queue" }] });
    expect(changes).toContainEqual({
      kind: "run",
      put: expect.objectContaining({ status: "stopped", error: null }),
    });
  });
});

test("an archived session takes no input", () => {
  for (const command of [steer(), queue()]) {
    expect(decide(archived, command)).toMatchObject({ accepted: false, code: "session_archived" });
  }
});
