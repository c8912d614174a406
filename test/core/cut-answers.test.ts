import { expect, test } from "vitest";
import { limits } from "../../core/session/state.ts";
import { answer, apply, created, end, fail, queue, repair, steer } from "../support/commands.ts";
import { given, story } from "../support/specification.ts";

const cut = (scripts = 0) => answer(scripts, { cut: true });
const tokens = (count: number) => ({ input: count, output: 10, cached: 5 });

test("an answer that was cut does not end the run: the model is asked to go on", () => {
  const past = given(created("queue"), apply())
    .when(cut())
    .then({ type: "message.completed" }, { type: "engine.answered", scripts: 0, cut: true });
  expect(past.state.run).toMatchObject({ status: "running", turn: { at: "model", failures: 0 }, cuts: 1 });
  given(past.events)
    .when(answer())
    .then("message.completed", "engine.answered", "run.completed", "session.updated");
});

test("cut answers in a row fail the run, and name the output limit", () => {
  const before = story(created("queue"), apply(), cut(), cut());
  const past = given(before, queue())
    .when(cut())
    .then(
      "message.completed",
      "engine.answered",
      {
        type: "run.failed",
        error: { code: "model_error", message: expect.stringContaining("output limit") },
      },
      "session.updated",
    );
  expect(past.state).toMatchObject({ status: "paused", run: null, queue: [{ mode: "queue" }] });
  expect(limits.cutAnswers).toBe(3);
});

test("a cut answer whose scripts ended counts like any other", () => {
  given(created("queue"), apply(), cut(1), end(), cut(1), end())
    .when(cut(2))
    .then("message.completed", "engine.answered", "run.failed", "session.updated");
});

test("an answer that is whole begins the count anew", () => {
  const past = story(created("queue"), apply(), cut(), cut(), answer(1), end(), cut(), cut());
  expect(past.state.run).toMatchObject({ status: "running", cuts: 2 });
});

test("a cut answer fails the run although steering waits", () => {
  given(created("queue"), apply(), cut(), cut(), steer())
    .when(cut())
    .then(
      "message.completed",
      "engine.answered",
      { type: "input.cancelled", reason: "run_failed" },
      "run.failed",
      "session.updated",
    );
});

test("a run counts the tokens of all its requests, and its record keeps them", () => {
  const runId = "run_spec0000000003";
  const past = story(
    created("queue"),
    apply(),
    answer(1, { usage: tokens(100) }),
    end(),
    answer(0, { usage: tokens(200) }),
  );
  expect(past.records.run.get(runId)).toMatchObject({
    status: "completed",
    usage: { input: 300, output: 20, cached: 10 },
  });
});

test("a repair is made once at a place, and the place is another afterwards", () => {
  const before = story(created("queue"), apply());
  const past = given(before)
    .when(repair())
    .then({ type: "engine.repaired", repair: { kind: "unsealed" } });
  expect(past.state.run).toMatchObject({ turn: { at: "model", repairs: 1 } });
  given(past.events)
    .when(repair({ kind: "declined", from: 0 }, "run_spec0000000003/0/1/model/0/0"))
    .thenRefused("stale");
  given(past.events).when(fail("model_error")).then("run.failed", "session.updated");
});
