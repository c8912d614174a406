import {
  SendTaskFailureCommand,
  SendTaskHeartbeatCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { describe, expect, it } from "vitest";
import { createToken } from "../../local/stepfunctions/tokens.ts";
import type { World } from "./stepfunctions-support.ts";
import {
  createClock,
  gate,
  machine,
  named,
  openWorld,
  runsMachine,
  tokenTask,
  until,
} from "./stepfunctions-support.ts";

const waiting = machine({ Hold: tokenTask("park", { End: true }) });

function succeed(client: SFNClient, taskToken: string, output: unknown) {
  return client.send(new SendTaskSuccessCommand({ taskToken, output: JSON.stringify(output) }));
}

/** The token that the nth call got, once it was made. */
function tokenOf(world: World, call = 0): Promise<string> {
  return until(() => {
    const token = world.calls[call]?.payload["token"];
    return typeof token === "string" ? token : undefined;
  });
}

async function submitted(world: World, arn: string): Promise<void> {
  await until(async () => (await world.eventTypes(arn)).includes("TaskSubmitted") || undefined);
}

describe("a task token", () => {
  it("wakes its execution with the output that was sent", async () => {
    const answers = [{ next: "wait", waitSeconds: 60, sessionId: "s" }, { next: "done" }];
    const world = await openWorld(runsMachine, { advance: () => answers.shift(), park: () => null });
    const arn = await world.start({ sessionId: "s", runId: "r", cycle: 0 });
    const token = await tokenOf(world, 1);
    expect(token.length).toBeLessThan(1024);
    await submitted(world, arn);
    await succeed(world.client, token, { sessionId: "s", runId: "r", cycle: 1 });
    expect((await world.ended(arn)).status).toBe("SUCCEEDED");
    expect(world.calls[2]).toMatchObject({ name: "advance", payload: { cycle: 1 } });
    expect(world.sfn.transitions(arn)).toBe(6);
    expect(world.sfn.counters.settledTokens).toBe(1);
    const types = await world.eventTypes(arn);
    expect(types.slice(types.indexOf("TaskSubmitted") - 3, types.indexOf("TaskSubmitted") + 3)).toEqual([
      "TaskStateEntered",
      "TaskScheduled",
      "TaskStarted",
      "TaskSubmitted",
      "TaskSucceeded",
      "TaskStateExited",
    ]);
  });

  it("works before the function that got it has returned", async () => {
    const held = gate();
    const world = await openWorld(waiting, { park: () => held.opened });
    const arn = await world.start();
    await succeed(world.client, await tokenOf(world), ["early"]);
    expect(await world.ended(arn)).toMatchObject({ status: "SUCCEEDED", output: '["early"]' });
    held.open(named("TooLate"));
    expect(await world.eventTypes(arn)).not.toContain("TaskSubmitted");
  });

  it("is taken once: of fifty at the same moment one wins", async () => {
    const world = await openWorld(waiting, { park: () => null });
    const arn = await world.start();
    const token = await tokenOf(world);
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => succeed(world.client, token, index)),
    );
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(49);
    for (const result of refused) expect(result.reason).toMatchObject({ name: "TaskTimedOut" });
    const winner = results.findIndex((result) => result.status === "fulfilled");
    expect((await world.ended(arn)).output).toBe(String(winner));
  });

  it("fails its task with the error that was sent", async () => {
    const world = await openWorld(waiting, { park: () => null });
    const arn = await world.start();
    const taskToken = await tokenOf(world);
    await world.client.send(
      new SendTaskFailureCommand({ taskToken, error: "Refused", cause: "by the user" }),
    );
    expect(await world.ended(arn)).toMatchObject({
      status: "FAILED",
      error: "Refused",
      cause: "by the user",
    });
    const again = new SendTaskFailureCommand({ taskToken, error: "Refused" });
    await expect(world.client.send(again)).rejects.toMatchObject({ name: "TaskTimedOut" });
  });

  it("is closed by its timeout, which takes the Catch of States.Timeout", async () => {
    const clock = createClock();
    const answers = [{ next: "wait", waitSeconds: 30, sessionId: "s", runId: "r" }, { next: "done" }];
    const functions = { advance: () => answers.shift(), park: () => null };
    const world = await openWorld(runsMachine, functions, { now: clock.now });
    const arn = await world.start({ sessionId: "s", runId: "r", cycle: 0 });
    const token = await tokenOf(world, 1);
    await submitted(world, arn);
    clock.advance(30);
    await expect(succeed(world.client, token, {})).rejects.toMatchObject({ name: "TaskTimedOut" });
    expect((await world.ended(arn)).status).toBe("SUCCEEDED");
    expect(world.calls[2]).toMatchObject({ name: "advance", payload: { cycle: "due" } });
    expect(await world.eventTypes(arn)).toContain("TaskTimedOut");
  });

  it("is closed when its execution is stopped", async () => {
    const world = await openWorld(waiting, { park: () => null });
    const executionArn = await world.start();
    const token = await tokenOf(world);
    await world.client.send(new StopExecutionCommand({ executionArn }));
    await expect(succeed(world.client, token, {})).rejects.toMatchObject({ name: "TaskTimedOut" });
  });

  it("is InvalidToken when malformed and TaskDoesNotExist when of no execution here", async () => {
    const world = await openWorld(waiting, { park: () => null });
    await world.start({}, "known");
    const token = await tokenOf(world);
    for (const bad of ["x", "not a token", `${token}A`, token.slice(0, -2), token.replace(/^../, "zz")]) {
      await expect(succeed(world.client, bad, {})).rejects.toMatchObject({ name: "InvalidToken" });
    }
    await expect(succeed(world.client, createToken("unknown"), {})).rejects.toMatchObject({
      name: "TaskDoesNotExist",
    });
    await expect(succeed(world.client, createToken("known"), {})).rejects.toMatchObject({
      name: "TaskTimedOut",
    });
    const heartbeat = new SendTaskHeartbeatCommand({ taskToken: "x" });
    await expect(world.client.send(heartbeat)).rejects.toMatchObject({ name: "InvalidToken" });
  });

  it("is not spent by an output that is not JSON or too large", async () => {
    const world = await openWorld(waiting, { park: () => null });
    const arn = await world.start();
    const taskToken = await tokenOf(world);
    const send = (output: string) => world.client.send(new SendTaskSuccessCommand({ taskToken, output }));
    await expect(send("{")).rejects.toMatchObject({ name: "InvalidOutput" });
    await expect(send(`"${"é".repeat(131_072)}"`)).rejects.toMatchObject({ name: "InvalidOutput" });
    await send(`"${"é".repeat(131_071)}"`);
    expect((await world.ended(arn)).status).toBe("SUCCEEDED");
  });

  it("is closed when the function that got it fails", async () => {
    const held = gate<Error>();
    const world = await openWorld(waiting, {
      park: async () => {
        throw await held.opened;
      },
    });
    const arn = await world.start();
    const token = await tokenOf(world);
    held.open(named("ParkingError"));
    expect(await world.ended(arn)).toMatchObject({ status: "FAILED", error: "ParkingError" });
    await expect(succeed(world.client, token, {})).rejects.toMatchObject({ name: "TaskTimedOut" });
  });
});

describe("heartbeats", () => {
  const Catch = [{ ErrorEquals: ["States.HeartbeatTimeout"], Next: "Silent" }];
  const beating = machine({
    Hold: tokenTask("park", { HeartbeatSeconds: 10, TimeoutSeconds: 100, Catch, End: true }),
    Silent: { Type: "Fail", Error: "Silent", Cause: "{% $states.input.Error %}" },
  });

  it("keep a task alive, and its silence times it out", async () => {
    const clock = createClock();
    const world = await openWorld(beating, { park: () => null }, { now: clock.now });
    const arn = await world.start();
    const taskToken = await tokenOf(world);
    for (let beat = 0; beat < 3; beat += 1) {
      clock.advance(9);
      await world.client.send(new SendTaskHeartbeatCommand({ taskToken }));
    }
    expect((await world.describe(arn)).status).toBe("RUNNING");
    clock.advance(10);
    expect(await world.ended(arn)).toMatchObject({ error: "Silent", cause: "States.Timeout" });
    const late = new SendTaskHeartbeatCommand({ taskToken });
    await expect(world.client.send(late)).rejects.toMatchObject({ name: "TaskTimedOut" });
  });

  it("do not extend the timeout of the task", async () => {
    const clock = createClock();
    const world = await openWorld(beating, { park: () => null }, { now: clock.now });
    const arn = await world.start();
    const taskToken = await tokenOf(world);
    for (let beat = 0; beat < 11; beat += 1) {
      clock.advance(9);
      await world.client.send(new SendTaskHeartbeatCommand({ taskToken }));
    }
    clock.advance(1);
    expect(await world.ended(arn)).toMatchObject({ status: "FAILED", error: "States.Timeout" });
  });
});
