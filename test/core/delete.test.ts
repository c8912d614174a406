import { describe, expect, test } from "vitest";
import { requestStop } from "../../core/session/decide/controls.ts";
import { refuseDeletion } from "../../core/session/decide/delete.ts";
import { activeRun, answer, apply, created, fail, lose, queue, waiting } from "../support/commands.ts";
import { type Command, story } from "../support/specification.ts";

const stop: Command = (past, at) => requestStop(past.state, { runId: activeRun(past), ended: false, at });

describe("a session can be deleted", () => {
  test.each([
    ["that never had an input", story(created())],
    ["whose run has completed", story(created("queue"), apply(), answer(0))],
    ["that a failed run paused, with what it has queued", story(created("queue"), apply(), fail(), queue())],
  ])("%s", (_, { state }) => {
    expect(refuseDeletion(state)).toBeNull();
  });
});

describe("a session is not deleted while its run", () => {
  test.each([
    ["has not begun", story(created("queue")), "running"],
    ["runs", story(created("queue"), apply()), "running"],
    ["waits for calls", story(created("queue"), ...waiting()), "waiting_for_tools"],
    ["is interrupted", story(created("queue"), apply(), lose()), "interrupted"],
    ["is being stopped", story(created("queue"), apply(), stop), "stopping"],
  ])("%s", (_, { state }, status) => {
    expect(state.run?.status).toBe(status);
    expect(refuseDeletion(state)).toMatchObject({ accepted: false, code: "session_active" });
  });
});
