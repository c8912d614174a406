import {
  DescribeExecutionCommand,
  DescribeStateMachineCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { describe, expect, it } from "vitest";
import {
  createClock,
  gate,
  machine,
  openWorld,
  runsMachine,
  secondsBetween,
  stateMachineArn,
  task,
  until,
} from "./stepfunctions-support.ts";

const passing = machine({ Only: { Type: "Pass", End: true } });

describe("a run", () => {
  it("goes through Advance, Next and Done in three transitions", async () => {
    const world = await openWorld(runsMachine, { advance: ({ runId }) => ({ next: "done", runId }) });
    const arn = await world.start({ sessionId: "s1", runId: "r1", cycle: 0 }, "r1");
    const execution = await world.ended(arn);
    expect(execution).toMatchObject({
      executionArn: "arn:aws:states:eu-central-1:123456789012:execution:runs:r1",
      status: "SUCCEEDED",
      output: JSON.stringify({ next: "done", runId: "r1" }),
    });
    expect(world.calls).toEqual([
      {
        name: "advance",
        payload: { sessionId: "s1", runId: "r1", stateMachineArn, executionName: "r1", cycle: 0 },
      },
    ]);
    expect(world.sfn.transitions(arn)).toBe(3);
    expect(world.sfn.counters).toEqual({ executions: 1, transitions: 3, invocations: 1, settledTokens: 0 });
  });

  it("records the events that AWS records", async () => {
    const world = await openWorld(runsMachine, { advance: () => ({ next: "done" }) });
    const arn = await world.start({ sessionId: "s1", runId: "r1", cycle: 0 });
    await world.ended(arn);
    const events = await world.history(arn);
    expect(events.map((event) => [event.id, event.previousEventId, event.type])).toEqual([
      [1, 0, "ExecutionStarted"],
      [2, 0, "TaskStateEntered"],
      [3, 2, "TaskScheduled"],
      [4, 3, "TaskStarted"],
      [5, 4, "TaskSucceeded"],
      [6, 5, "TaskStateExited"],
      [7, 6, "ChoiceStateEntered"],
      [8, 7, "ChoiceStateExited"],
      [9, 8, "SucceedStateEntered"],
      [10, 9, "SucceedStateExited"],
      [11, 10, "ExecutionSucceeded"],
    ]);
    expect(events[2]?.taskScheduledEventDetails).toMatchObject({
      resourceType: "lambda",
      resource: "invoke",
      region: "eu-central-1",
      timeoutInSeconds: 900,
    });
    expect(JSON.parse(events[4]?.taskSucceededEventDetails?.output ?? "")).toEqual({
      ExecutedVersion: "$LATEST",
      Payload: { next: "done" },
      StatusCode: 200,
    });
  });

  it("gives the host the details that EventBridge sends", async () => {
    const world = await openWorld(passing);
    const arn = await world.start({ a: 1 }, "seen");
    await world.ended(arn);
    const seen = {
      executionArn: arn,
      stateMachineArn,
      name: "seen",
      input: '{"a":1}',
      error: null,
      cause: null,
    };
    expect(await until(() => (world.changes.length === 2 ? world.changes : undefined))).toEqual([
      { ...seen, status: "RUNNING", startDate: expect.any(Number), stopDate: null, output: null },
      {
        ...seen,
        status: "SUCCEEDED",
        startDate: expect.any(Number),
        stopDate: expect.any(Number),
        output: '{"a":1}',
      },
    ]);
  });

  it("keeps variables from state to state and evaluates Output beside Assign", async () => {
    const world = await openWorld(
      machine({
        First: {
          Type: "Pass",
          Assign: { count: 1, all: "{% $states.input %}" },
          Output: "kept",
          Next: "Second",
        },
        Second: {
          Type: "Pass",
          Assign: { count: "{% $count + 1 %}" },
          Output: { old: "{% $count %}", all: "{% $all.list %}" },
          Next: "Third",
        },
        Third: { Type: "Pass", Output: { seen: "{% $states.input %}", count: "{% $count %}" }, End: true },
      }),
    );
    const execution = await world.ended(await world.start({ list: [1] }));
    expect(JSON.parse(execution.output ?? "")).toEqual({ seen: { old: 1, all: [1] }, count: 2 });
  });

  it("sleeps in a Wait for as many seconds as the expression says, weeks included", async () => {
    const clock = createClock();
    const answers = [{ next: "sleep", waitSeconds: 3_600_000 }, { next: "done" }];
    const definition = { ...runsMachine, TimeoutSeconds: 99_999_999 };
    const world = await openWorld(definition, { advance: () => answers.shift() }, { now: clock.now });
    const arn = await world.start({ sessionId: "s", runId: "r", cycle: 0 });
    await until(async () => (await world.eventTypes(arn)).includes("WaitStateEntered") || undefined);
    clock.advance(3_600_000);
    await until(async () => (await world.eventTypes(arn)).includes("WaitStateExited") || undefined);
    expect(await secondsBetween(world, arn, "WaitStateEntered", "WaitStateExited")).toEqual([3_600_000]);
  });
});

describe("StartExecution", () => {
  const input = JSON.stringify({ a: 1 });

  it("answers a running execution again for the same name and input", async () => {
    const done = gate();
    const world = await openWorld(machine({ Only: task("held", { End: true }) }), {
      held: () => done.opened,
    });
    const command = new StartExecutionCommand({ stateMachineArn, name: "once", input });
    const answers = await Promise.all([world.client.send(command), world.client.send(command)]);
    expect(answers[1]?.executionArn).toBe(answers[0]?.executionArn);
    expect(answers[1]?.startDate).toEqual(answers[0]?.startDate);
    await until(() => world.calls.length === 1 || undefined);
    const other = new StartExecutionCommand({ stateMachineArn, name: "once", input: "{}" });
    await expect(world.client.send(other)).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
    done.open({});
    await world.ended(answers[0]?.executionArn ?? "");
    await expect(world.client.send(command)).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
    expect(world.calls).toHaveLength(1);
  });

  it.each(["", "a".repeat(81), "with space", "a:b", "a/b", "a*", "a?", "a#", "a\u0007"])(
    "refuses the name %j",
    async (name) => {
      const world = await openWorld(passing);
      const command = new StartExecutionCommand({ stateMachineArn, name, input });
      await expect(world.client.send(command)).rejects.toMatchObject({ name: "InvalidName" });
    },
  );

  it("refuses an input that is not JSON or over 262,144 bytes", async () => {
    const world = await openWorld(passing);
    const send = (text: string) =>
      world.client.send(new StartExecutionCommand({ stateMachineArn, input: text }));
    await expect(send("{nothing}")).rejects.toMatchObject({ name: "InvalidExecutionInput" });
    await expect(send(`"${"é".repeat(131_072)}"`)).rejects.toMatchObject({ name: "InvalidExecutionInput" });
    await expect(send(`"${"a".repeat(262_143)}"`)).rejects.toMatchObject({ name: "ValidationException" });
    await expect(send(`"${"a".repeat(262_142)}"`)).resolves.toBeDefined();
  });

  it("refuses another state machine and what is no ARN", async () => {
    const world = await openWorld(passing);
    const send = (arn: string) => world.client.send(new StartExecutionCommand({ stateMachineArn: arn }));
    await expect(send(`${stateMachineArn}2`)).rejects.toMatchObject({ name: "StateMachineDoesNotExist" });
    await expect(send("runs")).rejects.toMatchObject({ name: "InvalidArn" });
  });
});

describe("reading executions", () => {
  it("does not know an execution that was never started", async () => {
    const world = await openWorld(passing);
    const executionArn = "arn:aws:states:eu-central-1:123456789012:execution:runs:none";
    for (const command of [
      new DescribeExecutionCommand({ executionArn }),
      new GetExecutionHistoryCommand({ executionArn }),
      new StopExecutionCommand({ executionArn }),
    ]) {
      await expect(world.client.send(command as DescribeExecutionCommand)).rejects.toMatchObject({
        name: "ExecutionDoesNotExist",
      });
    }
    expect(world.sfn.transitions(executionArn)).toBeUndefined();
  });

  it("pages the history in both directions", async () => {
    const world = await openWorld(passing);
    const executionArn = await world.start();
    await world.ended(executionArn);
    const page = (reverseOrder: boolean, nextToken?: string) =>
      world.client.send(
        new GetExecutionHistoryCommand({ executionArn, reverseOrder, maxResults: 3, nextToken }),
      );
    const first = await page(false);
    expect(first.events?.map((event) => event.id)).toEqual([1, 2, 3]);
    const second = await page(false, first.nextToken);
    expect(second.events?.map((event) => event.id)).toEqual([4]);
    expect(second.nextToken).toBeUndefined();
    const last = await page(true);
    expect(last.events?.map((event) => event.id)).toEqual([4, 3, 2]);
    expect((await page(true, last.nextToken)).events?.map((event) => event.id)).toEqual([1]);
    await expect(page(false, "nonsense")).rejects.toMatchObject({ name: "InvalidToken" });
  });

  it("leaves data out of the history when asked", async () => {
    const world = await openWorld(passing);
    const executionArn = await world.start({ secret: 1 });
    await world.ended(executionArn);
    const command = new GetExecutionHistoryCommand({ executionArn, includeExecutionData: false });
    expect(JSON.stringify((await world.client.send(command)).events)).not.toContain("secret");
  });

  it("lists executions by status, the latest first, in pages", async () => {
    const held = gate();
    const world = await openWorld(
      machine({
        Which: {
          Type: "Choice",
          Choices: [{ Condition: "{% $states.input.hold %}", Next: "Hold" }],
          Default: "Done",
        },
        Hold: task("held", { Next: "Done" }),
        Done: { Type: "Succeed" },
      }),
      { held: () => held.opened },
    );
    for (const name of ["a", "b", "c"]) await world.ended(await world.start({ hold: false }, name));
    await world.start({ hold: true }, "d");
    const list = (options: object) =>
      world.client.send(new ListExecutionsCommand({ stateMachineArn, ...options }));
    const names = async (options: object) =>
      (await list(options)).executions?.map((execution) => execution.name);
    expect(await names({})).toEqual(["d", "c", "b", "a"]);
    expect(await names({ statusFilter: "RUNNING" })).toEqual(["d"]);
    expect(await names({ statusFilter: "FAILED" })).toEqual([]);
    const first = await list({ statusFilter: "SUCCEEDED", maxResults: 2 });
    expect(first.executions?.map((execution) => execution.name)).toEqual(["c", "b"]);
    const rest = await list({ statusFilter: "SUCCEEDED", maxResults: 2, nextToken: first.nextToken });
    expect(rest.executions?.map((execution) => execution.name)).toEqual(["a"]);
    expect(rest.nextToken).toBeUndefined();
    held.open({});
  });

  it("describes the state machine with its definition", async () => {
    const world = await openWorld(passing);
    const described = await world.client.send(new DescribeStateMachineCommand({ stateMachineArn }));
    expect(described).toMatchObject({ name: "runs", status: "ACTIVE", type: "STANDARD" });
    expect(JSON.parse(described.definition ?? "")).toEqual(passing);
  });

  it("names an operation that is not served", async () => {
    const world = await openWorld(passing);
    const headers = { "x-amz-target": "AWSStepFunctions.RedriveExecution" };
    const response = await fetch(world.sfn.url, { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ __type: "UnknownOperationException" });
  });
});

describe("StopExecution", () => {
  it("aborts a running execution and ignores what its function returns later", async () => {
    const held = gate();
    const world = await openWorld(machine({ Only: task("held", { End: true }) }), {
      held: () => held.opened,
    });
    const executionArn = await world.start();
    await until(() => world.calls.length === 1 || undefined);
    const stop = new StopExecutionCommand({ executionArn, error: "Manual", cause: "no longer wanted" });
    const { stopDate } = await world.client.send(stop);
    held.open({ late: true });
    const expected = { status: "ABORTED", error: "Manual", cause: "no longer wanted", stopDate };
    expect(await world.describe(executionArn)).toMatchObject(expected);
    expect((await world.client.send(stop)).stopDate).toEqual(stopDate);
    expect((await world.eventTypes(executionArn)).at(-1)).toBe("ExecutionAborted");
    expect(await world.describe(executionArn)).toMatchObject(expected);
    expect(world.changes.map((change) => change.status)).toEqual(["RUNNING", "ABORTED"]);
  });
});
