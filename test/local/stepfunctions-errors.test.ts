import { describe, expect, it } from "vitest";
import {
  Caught,
  caughtBy,
  createClock,
  gate,
  machine,
  named,
  openWorld,
  secondsBetween,
  task,
  until,
} from "./stepfunctions-support.ts";

describe("Catch", () => {
  it.each([
    ["the name of the error", ["Boom"]],
    ["States.ALL", ["States.ALL"]],
    ["States.TaskFailed", ["States.TaskFailed"]],
  ])("takes a thrown error by %s, with its output", async (_, names) => {
    const world = await openWorld(machine({ Do: task("do", caughtBy(names)), Caught }), {
      do: () => {
        throw named("Boom", "no luck");
      },
    });
    const execution = await world.ended(await world.start({ a: 1 }));
    expect(execution.status).toBe("SUCCEEDED");
    expect(JSON.parse(execution.output ?? "")).toEqual({
      error: { Error: "Boom", Cause: JSON.stringify({ errorType: "Boom", errorMessage: "no luck" }) },
      input: { a: 1 },
    });
  });

  it("assigns variables and gives the error as default output", async () => {
    const Catch = [
      { ErrorEquals: ["States.ALL"], Next: "Caught", Assign: { why: "{% $states.errorOutput.Error %}" } },
    ];
    const world = await openWorld(
      machine({
        Do: task("missing", { Catch, End: true }),
        Caught: { Type: "Pass", Output: ["{% $why %}", "{% $states.input.Cause %}"], End: true },
      }),
    );
    const execution = await world.ended(await world.start());
    expect(execution.output).toBe('["Lambda.ResourceNotFoundException","no such function"]');
  });

  it("leaves an error that no rule names to fail the execution", async () => {
    const world = await openWorld(machine({ Do: task("do", caughtBy(["Other"])), Caught }), {
      do: () => {
        throw named("Boom");
      },
    });
    const arn = await world.start();
    expect(await world.ended(arn)).toMatchObject({ status: "FAILED", error: "Boom" });
    expect((await world.eventTypes(arn)).slice(-2)).toEqual(["TaskFailed", "ExecutionFailed"]);
  });

  it("sees a function whose call broke off as Lambda.Unknown", async () => {
    const world = await openWorld(machine({ Do: task("do", caughtBy(["Lambda.Unknown"])), Caught }), {
      do: () => {
        throw "the process is gone";
      },
    });
    const execution = await world.ended(await world.start());
    expect(JSON.parse(execution.output ?? "")).toMatchObject({
      error: { Error: "Lambda.Unknown", Cause: "the process is gone" },
    });
  });

  it("takes a failed expression as States.QueryEvaluationError and records where it failed", async () => {
    const states = {
      Do: task("do", { ...caughtBy(["States.QueryEvaluationError"]), Output: { a: "{% $nothing %}" } }),
      Caught,
    };
    const world = await openWorld(machine(states), { do: () => 1 });
    const arn = await world.start();
    expect((await world.ended(arn)).status).toBe("SUCCEEDED");
    const failed = (await world.history(arn)).find((event) => event.type === "EvaluationFailed");
    expect(failed?.evaluationFailedEventDetails).toEqual({
      error: "States.QueryEvaluationError",
      location: "Output/a",
      state: "Do",
      cause:
        "An error occurred while executing the state 'Do' (entered at the event id #2). " +
        "The JSONata expression '$nothing' specified for the field 'Output/a' returned nothing (undefined).",
    });
  });
});

describe("Retry", () => {
  const Retry = [
    { ErrorEquals: ["Busy"], IntervalSeconds: 2, BackoffRate: 3, MaxAttempts: 3, MaxDelaySeconds: 10 },
    { ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 1 },
  ];

  it("waits longer each time up to its maximum, then succeeds; each retry is a transition", async () => {
    const clock = createClock();
    let failures = 3;
    const world = await openWorld(
      machine({ Do: task("do", { Retry, End: true }) }),
      {
        do: () => {
          if (failures-- > 0) throw named("Busy");
          return "done";
        },
      },
      { now: clock.now },
    );
    const arn = await world.start();
    for (const [made, seconds] of [2, 6, 10].entries()) {
      await until(async () => {
        const failed = (await world.eventTypes(arn)).filter((type) => type === "TaskFailed");
        return failed.length === made + 1 || undefined;
      });
      clock.advance(seconds);
    }
    expect(await world.ended(arn)).toMatchObject({ status: "SUCCEEDED", output: '"done"' });
    expect(await secondsBetween(world, arn, "TaskFailed", "TaskScheduled")).toEqual([2, 6, 10]);
    expect(world.sfn.transitions(arn)).toBe(4);
    expect((await world.eventTypes(arn)).filter((type) => type === "TaskStateEntered")).toHaveLength(1);
  });

  it("counts each rule by itself and anew at each visit, and then takes the Catch", async () => {
    const clock = createClock();
    const Catch = [{ ErrorEquals: ["States.ALL"], Next: "Again", Output: "{% $states.input %}" }];
    const world = await openWorld(
      machine({
        Do: task("do", {
          Retry: [{ ErrorEquals: ["States.ALL"], IntervalSeconds: 1, MaxAttempts: 1 }],
          Catch,
          End: true,
        }),
        Again: {
          Type: "Choice",
          Choices: [{ Condition: "{% $states.input = 0 %}", Output: 1, Next: "Do" }],
          Default: "Failed",
        },
        Failed: { Type: "Fail" },
      }),
      {
        do: () => {
          throw named("Broken");
        },
      },
      { now: clock.now },
    );
    const arn = await world.start(0);
    const execution = await until(async () => {
      clock.advance(1);
      const seen = await world.describe(arn);
      return seen.status === "RUNNING" ? undefined : seen;
    });
    expect(execution.status).toBe("FAILED");
    expect(world.calls).toHaveLength(4);
  });

  it("shows its count in the context", async () => {
    const clock = createClock();
    const Arguments = { FunctionName: "do", Payload: { tries: "{% $states.context.State.RetryCount %}" } };
    const world = await openWorld(
      machine({ Do: { ...task("do", { Retry, End: true }), Arguments } }),
      {
        do: ({ tries }) => {
          if (tries === 0) throw named("Odd");
          return tries;
        },
      },
      { now: clock.now },
    );
    const arn = await world.start();
    await until(async () => (await world.eventTypes(arn)).includes("TaskFailed") || undefined);
    clock.advance(1);
    expect((await world.ended(arn)).output).toBe("1");
  });
});

describe("timeouts", () => {
  it("end a task whose function still runs, and ignore its late result", async () => {
    const clock = createClock();
    const held = gate();
    const signals: AbortSignal[] = [];
    const world = await openWorld(
      machine({
        Do: task("do", { TimeoutSeconds: 5, ...caughtBy(["States.Timeout"]) }),
        Caught: task("after", { End: true }),
      }),
      {},
      {
        now: clock.now,
        invoke: async (name, payload, { signal }) => {
          signals.push(signal);
          return name === "do" ? { ok: true, payload: await held.opened } : { ok: true, payload };
        },
      },
    );
    const arn = await world.start();
    await until(() => signals.length === 1 || undefined);
    clock.advance(5);
    const execution = await world.ended(arn);
    held.open("late");
    expect(JSON.parse(execution.output ?? "")).toMatchObject({
      error: { Error: "States.Timeout", Cause: "" },
    });
    expect(await world.eventTypes(arn)).not.toContain("LambdaFunctionSucceeded");
    expect((await world.describe(arn)).output).toBe(execution.output);
    expect(signals.map((signal) => signal.aborted)).toEqual([false, false]);
  });

  it("keep a late result apart from the retry that runs by then", async () => {
    const clock = createClock();
    const tries = [gate(), gate()];
    const Retry = [{ ErrorEquals: ["States.Timeout"], IntervalSeconds: 1, MaxAttempts: 1 }];
    const world = await openWorld(
      machine({ Do: task("do", { TimeoutSeconds: 5, Retry, End: true }) }),
      { do: () => tries[world.calls.length - 1]?.opened },
      { now: clock.now },
    );
    const arn = await world.start();
    await until(() => world.calls.length === 1 || undefined);
    clock.advance(5);
    await until(async () => (await world.eventTypes(arn)).includes("TaskTimedOut") || undefined);
    clock.advance(1);
    await until(() => world.calls.length === 2 || undefined);
    tries[0]?.open("first");
    await world.describe(arn);
    tries[1]?.open("second");
    expect((await world.ended(arn)).output).toBe('"second"');
  });

  it("are not matched by States.TaskFailed", async () => {
    const clock = createClock();
    const held = gate();
    const states = { Do: task("do", { TimeoutSeconds: 5, ...caughtBy(["States.TaskFailed"]) }), Caught };
    const world = await openWorld(machine(states), { do: () => held.opened }, { now: clock.now });
    const arn = await world.start();
    await until(() => world.calls.length === 1 || undefined);
    clock.advance(5);
    const execution = await world.ended(arn);
    expect(execution).toMatchObject({ status: "FAILED", error: "States.Timeout" });
    expect(execution.cause).toBeUndefined();
    held.open(1);
  });

  it("of the whole machine end an execution as TIMED_OUT, past every Catch", async () => {
    const clock = createClock();
    const held = gate();
    const states = { Do: task("do", caughtBy(["States.ALL"])), Caught };
    const world = await openWorld(
      machine(states, { TimeoutSeconds: 60 }),
      { do: () => held.opened },
      { now: clock.now },
    );
    const arn = await world.start();
    clock.advance(60);
    const execution = await world.ended(arn);
    expect(execution.status).toBe("TIMED_OUT");
    expect(execution.error).toBeUndefined();
    const last = (await world.history(arn)).at(-1);
    expect(last).toMatchObject({
      type: "ExecutionTimedOut",
      executionTimedOutEventDetails: { error: "States.Timeout" },
    });
    held.open(1);
  });

  it("of zero seconds are a failed evaluation", async () => {
    const world = await openWorld(
      machine({ Do: task("do", { TimeoutSeconds: "{% $states.input.seconds %}", End: true }) }),
    );
    expect(await world.ended(await world.start({ seconds: 0 }))).toMatchObject({
      error: "States.QueryEvaluationError",
    });
    expect(world.calls).toEqual([]);
  });
});
