import { describe, expect, test } from "vitest";
import { effects } from "../../core/session/effects.ts";
import {
  answer,
  apply,
  created,
  end,
  expire,
  lose,
  nextLeg,
  ok,
  park,
  pause,
  queue,
  request,
  settlePause,
  steer,
  stop,
  submit,
  waiting,
} from "../support/commands.ts";
import { at, given, story } from "../support/specification.ts";

const one = story(created("queue"), ...waiting());
const two = story(created("queue"), ...waiting(2));
const run = "run_spec0000000003";

describe("parking", () => {
  test("leaves the token and shows clients nothing", () => {
    const past = given(one).when(park("t1")).then({ type: "engine.parked", token: "t1" });
    expect(past.state.run).toMatchObject({ parked: "t1", waking: null });
    expect(past.state.sequence).toBe(one.state.sequence);
  });

  test.each([
    ["a result", submit(ok(0))],
    ["steering", steer()],
    ["queued input", queue()],
    ["an expiry", at(700, expire())],
  ])("is refused when %s came since", (_, command) => {
    given(two, command)
      .when(park("t1", { seen: two.state.sequence }))
      .thenRefused("stale");
  });

  test("is refused for another leg, for a run that has ended, and for one that was lost", () => {
    given(one)
      .when(park("t1", { leg: 2 }))
      .thenRefused("stale");
    given(created("queue"), apply(), answer()).when(park()).thenRefused("stale");
    given(one, lose()).when(park()).thenRefused("stale");
  });

  test("is refused while a pause is to be settled, whatever had been seen", () => {
    given(one, pause()).when(park()).thenRefused("stale");
    given(one, pause(), settlePause()).when(park("t1")).then({ type: "engine.parked", token: "t1" });
  });

  test("twice with one token is what once is", () => {
    const past = given(one, park("t1")).when(park("t1")).then("engine.parked");
    expect(past.state).toEqual(story(one, park("t1")).state);
  });
});

describe("waking", () => {
  test("the first result consumes the token, and the state asks for its release", () => {
    const first = given(two, park("t1"))
      .when(submit(ok(0)))
      .then("tool.completed", "engine.woken");
    expect(first.state.run).toMatchObject({ parked: null, waking: "t1" });
    expect(effects(first.state)).toEqual([{ kind: "wake", token: "t1" }]);
    given(first)
      .when(submit(ok(1)))
      .then("tool.completed", "session.updated");
  });

  test("an expiry consumes it too", () => {
    const past = given(one, park("t1"))
      .when(at(700, expire()))
      .then("tool.failed", "engine.woken", "session.updated");
    expect(effects(past.state)).toEqual([{ kind: "wake", token: "t1" }]);
  });

  test("a retry of a result wakes nobody", () => {
    given(two, submit(ok(0)), park("t1"))
      .when(submit(ok(0)))
      .thenNothing();
  });

  test("input wakes nobody: it is applied at the next boundary", () => {
    given(one, park("t1")).when(steer()).then("input.accepted");
  });

  test.each([
    ["parks again", park("t2")],
    ["requests more", request()],
    ["ends its script", end()],
  ])("the release is asked for until the run %s", (_, command) => {
    const woken = story(two, park("t1"), submit(ok(0)));
    expect(effects(story(woken, submit(ok(1))).state)).toEqual([{ kind: "wake", token: "t1" }]);
    expect(effects(story(woken, command).state)).toEqual([]);
  });

  test("reaches a run that parked in its next leg before it did anything else there", () => {
    const woken = story(two, nextLeg(), park("t2"), submit(ok(0)));
    expect(effects(woken.state)).toContainEqual({ kind: "wake", token: "t2" });
  });
});

describe("what a state asks for", () => {
  test("a start until the run was taken up, and again for its next leg", () => {
    const start = (leg: number) => [{ kind: "start", sessionId: "ses_spec", runId: run, leg }];
    expect(effects(created("queue").state)).toEqual(start(1));
    expect(effects(story(created("queue"), steer()).state)).toEqual(start(1));
    expect(effects(story(created("queue"), apply()).state)).toEqual([]);
    expect(effects(story(created("queue"), apply(), nextLeg()).state)).toEqual(start(2));
  });

  test("a start of the next run with the end of the one before", () => {
    const past = story(created("queue"), apply(), queue(), answer());
    expect(effects(past.state)).toEqual([
      { kind: "start", sessionId: "ses_spec", runId: past.state.run?.id, leg: 1 },
    ]);
  });
});

describe("what an interrupted run asks for", () => {
  const lost = story(two, lose());
  const watch = [{ kind: "watch", sessionId: "ses_spec", runId: run, leg: 1 }];

  test("somebody who watches the deadlines of its calls, until the last is settled", () => {
    expect(effects(lost.state)).toEqual(watch);
    expect(effects(story(lost, submit(ok(0))).state)).toEqual(watch);
    expect(effects(story(lost, submit(ok(0)), at(700, expire())).state)).toEqual([]);
    expect(effects(story(lost, stop()).state)).toEqual([]);
  });

  test("nothing where it has no calls", () => {
    expect(effects(story(created("queue"), apply(), lose()).state)).toEqual([]);
  });
});
