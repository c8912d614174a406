import { describe, expect, test } from "vitest";
import { parseMessageId } from "../../core/session/ids.ts";
import {
  answer,
  apply,
  created,
  end,
  inline,
  nextLeg,
  placeIn,
  queue,
  request,
  retry,
  scripting,
  steer,
} from "../support/commands.ts";
import { given, moment, story } from "../support/specification.ts";

describe("taking a run up", () => {
  test("happens once", () => {
    given(created("queue"), apply()).when(apply()).thenNothing();
  });

  test("is refused for a run that is not active", () => {
    given(created()).when(apply("run_spec0000000003")).thenRefused("stale");
    given(created("queue"), apply(), answer()).when(apply("run_spec0000000003")).thenRefused("stale");
  });
});

describe("an answer", () => {
  test("recorded twice is refused", () => {
    const asked = story(created("queue"), apply(), steer());
    given(asked, answer())
      .when(answer(0, { place: placeIn(asked) }))
      .thenRefused("stale");
  });

  test("of a run that has ended is refused", () => {
    const over = story(created("queue"), apply(), queue(), answer());
    given(over)
      .when(answer(0, { place: placeIn(story(created("queue"), apply(), queue())) }))
      .thenRefused("stale");
  });

  test("is refused while a script runs", () => {
    given(created("queue"), ...scripting())
      .when(answer())
      .thenRefused("stale");
  });

  test("without public text makes no message", () => {
    const past = given(created("queue"), apply())
      .when(answer(1, { content: null }))
      .then("engine.answered");
    expect(past.records.message.size).toBe(0);
  });

  test("names its message by run, answer and attempt", () => {
    const past = story(created("queue"), apply(), answer(1), end(), answer(1, { attempt: 2 }));
    const ids = [...past.records.message.keys()];
    expect(ids.map((id) => parseMessageId(id, "ses_spec"))).toEqual([
      { run: 3, number: 0, answer: 0 },
      { run: 3, number: 102, answer: 1 },
    ]);
  });

  test("with scripts starts the first of them and keeps the run", () => {
    const past = given(created("queue"), apply())
      .when(answer(2))
      .then("message.completed", "engine.answered");
    expect(past.state.run?.turn).toEqual({
      at: "script",
      index: 0,
      count: 2,
      since: 5,
      startedAt: moment(2),
      calls: 0,
    });
  });

  test("moves the conversation's checkpoint with it", () => {
    const transcript = { segments: [4], sequence: 4, version: 4 };
    const past = given(created("queue"), apply())
      .when(answer(0, { checkpoint: transcript }))
      .then(
        "message.completed",
        "engine.checkpointed",
        "engine.answered",
        "run.completed",
        "session.updated",
      );
    expect(past.state.transcript).toEqual(transcript);
  });
});

describe("scripts of an answer", () => {
  test("run one after the other, then the model is asked", () => {
    const second = given(created("queue"), ...scripting(2))
      .when(end())
      .then("engine.script_ended");
    expect(second.state.run?.turn).toMatchObject({ at: "script", index: 1, count: 2, calls: 0 });
    const asked = given(second).when(end()).then("engine.script_ended");
    expect(asked.state.run?.turn).toMatchObject({ at: "model", failures: 0 });
  });

  test("end once", () => {
    for (const scripts of [1, 2]) {
      const first = story(created("queue"), ...scripting(scripts));
      given(first, end())
        .when(end({ place: placeIn(first) }))
        .thenRefused("stale");
    }
  });

  test("of an earlier answer end nothing of a later one", () => {
    const first = story(created("queue"), ...scripting());
    given(first, end(), answer(1))
      .when(end({ place: placeIn(first) }))
      .thenRefused("stale");
  });

  test("keep the session's memory unless they change it", () => {
    const memory = inline({ count: 1 });
    const past = story(created("queue"), ...scripting(2), end({ memory }), end());
    expect(past.state.memory).toEqual(memory);
  });

  test("count their own calls", () => {
    const past = story(created("queue"), ...scripting(2), request(2), end());
    expect(past.state.run?.turn).toMatchObject({ index: 1, calls: 0 });
    expect(past.state.run?.calls).toHaveLength(2);
  });
});

describe("a retry of the model", () => {
  test("is counted once each and forgotten with the answer", () => {
    const twice = story(created("queue"), apply(), retry(1), retry(2));
    expect(twice.state.run?.turn).toMatchObject({ at: "model", failures: 2 });
    given(twice).when(retry(2)).thenRefused("stale");
    given(twice).when(retry(1)).thenRefused("stale");
    expect(story(twice, answer(1), end()).state.run?.turn).toMatchObject({ at: "model", failures: 0 });
  });

  test("counts those that were waited for without a commit", () => {
    expect(story(created("queue"), apply(), retry(3)).state.run?.turn).toMatchObject({
      at: "model",
      failures: 3,
    });
  });

  test("is no event that a client sees", () => {
    const past = given(created("queue"), apply()).when(retry(1)).then("engine.retried");
    expect(past.state.sequence).toBe(4);
  });
});

describe("a run that outgrows its execution", () => {
  test("goes on in the next leg, once", () => {
    const past = given(created("queue"), apply()).when(nextLeg()).then({ type: "engine.continued", leg: 2 });
    expect(past.state.run).toMatchObject({ leg: 2, begun: false, status: "running" });
    given(past).when(nextLeg(2)).thenRefused("stale");
  });

  test("keeps its answers and scripts", () => {
    const past = story(created("queue"), ...scripting(2), request(), nextLeg());
    expect(past.state.run).toMatchObject({
      answers: 1,
      status: "waiting_for_tools",
      turn: { index: 0, calls: 1 },
    });
  });
});
