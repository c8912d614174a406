import { describe, expect, it } from "vitest";
import { Caught, caughtBy, machine, openWorld, task } from "./stepfunctions-support.ts";

describe("limits", () => {
  const large = "x".repeat(262_144);

  it("fail a task whose result is over 262,144 bytes, by its own name only", async () => {
    const functions = { do: () => large };
    const named = await openWorld(
      machine({ Do: task("do", caughtBy(["States.DataLimitExceeded"])), Caught }),
      functions,
    );
    expect((await named.ended(await named.start())).status).toBe("SUCCEEDED");
    const all = await openWorld(machine({ Do: task("do", caughtBy(["States.ALL"])), Caught }), functions);
    expect(await all.ended(await all.start())).toMatchObject({
      status: "FAILED",
      error: "States.DataLimitExceeded",
    });
  });

  it("fail an output over 262,144 bytes, counted in UTF-8", async () => {
    const Output = "{% $join([1..$states.input].('é')) %}";
    const world = await openWorld(machine({ Grow: { Type: "Pass", Output, End: true } }));
    expect((await world.ended(await world.start(131_071))).status).toBe("SUCCEEDED");
    expect(await world.ended(await world.start(131_072))).toMatchObject({
      error: "States.DataLimitExceeded",
    });
  });

  it("end an execution at 25,000 events, the last of which says so", async () => {
    const world = await openWorld(machine({ Loop: { Type: "Pass", Next: "Loop" } }));
    const arn = await world.start();
    expect(await world.ended(arn)).toMatchObject({
      status: "FAILED",
      error: "States.Runtime",
      cause: "The execution reached the maximum number of history events (25000).",
    });
    const events = await world.history(arn);
    expect(events).toHaveLength(25_000);
    expect(events.at(-1)).toMatchObject({ id: 25_000, type: "ExecutionFailed" });
  });

  it("leave room for other executions while one only loops", async () => {
    const world = await openWorld(
      machine({
        Which: {
          Type: "Choice",
          Choices: [{ Condition: "{% $states.input.loop %}", Next: "Which" }],
          Default: "Done",
        },
        Done: { Type: "Succeed" },
      }),
    );
    const looping = await world.start({ loop: true });
    expect((await world.ended(await world.start({ loop: false }))).status).toBe("SUCCEEDED");
    expect((await world.describe(looping)).status).toBe("RUNNING");
    expect((await world.ended(looping)).error).toBe("States.Runtime");
  });
});

describe("states", () => {
  it("fail by Fail with an error and a cause from expressions", async () => {
    const Stop = {
      Type: "Fail",
      Error: "{% $states.input.code %}",
      Cause: "{% 'because of ' & $states.input.code %}",
    };
    const world = await openWorld(machine({ Stop }));
    const arn = await world.start({ code: "E1" });
    expect(await world.ended(arn)).toMatchObject({ status: "FAILED", error: "E1", cause: "because of E1" });
    expect(await world.eventTypes(arn)).toEqual(["ExecutionStarted", "FailStateEntered", "ExecutionFailed"]);
  });

  it("fail when no choice matches and there is no Default", async () => {
    const Pick = { Type: "Choice", Choices: [{ Condition: "{% false %}", Next: "Done" }] };
    const world = await openWorld(machine({ Pick, Done: { Type: "Succeed" } }));
    expect(await world.ended(await world.start())).toMatchObject({ error: "States.NoChoiceMatched" });
  });

  it("fail when a condition is not a boolean", async () => {
    const Pick = { Type: "Choice", Choices: [{ Condition: "{% 1 %}", Next: "Done" }], Default: "Done" };
    const world = await openWorld(machine({ Pick, Done: { Type: "Succeed" } }));
    expect(await world.ended(await world.start())).toMatchObject({ error: "States.QueryEvaluationError" });
  });

  it("use the output of the choice that matched", async () => {
    const Pick = {
      Type: "Choice",
      Choices: [{ Condition: "{% true %}", Next: "Done", Output: "chosen", Assign: { a: 1 } }],
      Output: "default",
      Default: "Done",
    };
    const world = await openWorld(
      machine({ Pick, Done: { Type: "Succeed", Output: ["{% $states.input %}", "{% $a %}"] } }),
    );
    expect((await world.ended(await world.start())).output).toBe('["chosen",1]');
  });

  it("have the functions that AWS adds to JSONata, and no $eval", async () => {
    const Output = [
      "{% $parse('[1]') %}",
      "{% $range(1, 5, 2) %}",
      "{% $partition([1,2,3], 2) %}",
      "{% $hash('a', 'SHA-256') %}",
      "{% $length($uuid()) %}",
    ];
    const world = await openWorld(machine({ Only: { Type: "Pass", Output, End: true } }));
    const execution = await world.ended(await world.start());
    const sha256 = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
    expect(JSON.parse(execution.output ?? "")).toEqual([[1], [1, 3, 5], [[1, 2], [3]], sha256, 36]);
    const evil = await openWorld(machine({ Only: { Type: "Pass", Output: "{% $eval('1') %}", End: true } }));
    expect(await evil.ended(await evil.start())).toMatchObject({ error: "States.QueryEvaluationError" });
  });
});
