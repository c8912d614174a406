import { describe, expect, test } from "vitest";
import {
  answer,
  apply,
  created,
  end,
  expire,
  fail,
  lose,
  ok,
  queue,
  request,
  steer,
  submit,
  waiting,
} from "../support/commands.ts";
import { at, type Command, given, moment, story } from "../support/specification.ts";

describe("the log's time never goes back", () => {
  const late = story(
    created("queue"),
    at(100, steer()),
    ...[apply(), answer(1)].map((step) => at(100, step)),
  );

  test.each<[string, Command]>([
    ["input", queue()],
    ["requests", request()],
    ["the end of a script", end()],
    ["a failure", fail()],
    ["a loss", lose()],
  ])("with %s from a host whose clock is behind", (_, command) => {
    const decided = command(late, moment(7));
    if (!decided.accepted) throw new Error(decided.code);
    expect(decided.events.map((event) => event.at)).toEqual(decided.events.map(() => moment(100)));
    expect(decided.state.updatedAt).toBe(moment(100));
  });

  test("and records tell the same time as the events that made them", () => {
    const asked = story(late, at(100, end()));
    const past = given(asked)
      .when(at(7, answer()))
      .then(
        { type: "message.completed", at: moment(100) },
        "engine.answered",
        { type: "run.completed", at: moment(100) },
        "session.updated",
      );
    expect([...past.records.message.values()].map(({ createdAt }) => createdAt)).toEqual([
      moment(100),
      moment(100),
    ]);
    expect(past.records.run.get("run_spec0000000003")?.endedAt).toBe(moment(100));
  });
});

test("an expiry that the log's time has reached happens on a host whose clock is behind", () => {
  const past = story(created("queue"), ...waiting(), at(700, queue()));
  given(past)
    .when(at(10, expire()))
    .then({ type: "tool.failed", at: moment(700) }, "session.updated");
});

test("a result is accepted before its deadline by the time that the log shows", () => {
  const past = story(created("queue"), ...waiting(), at(602, queue()));
  given(past)
    .when(at(10, submit(ok(0))))
    .then({ type: "tool.completed", at: moment(602) }, "session.updated");
});
