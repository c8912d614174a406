import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import { expect, test } from "vitest";
import { createExecutions } from "../../adapters/aws/executions.ts";
import { openWorld, stateMachineArn, until } from "../local/stepfunctions-support.ts";

const machine = {
  QueryLanguage: "JSONata",
  StartAt: "Wait",
  States: {
    Wait: {
      Type: "Task",
      Resource: "arn:aws:states:::lambda:invoke.waitForTaskToken",
      Arguments: { FunctionName: "park", Payload: { token: "{% $states.context.Task.Token %}" } },
      TimeoutSeconds: 60,
      End: true,
    },
  },
};

const run = { sessionId: "ses_1", runId: "run_1", leg: 1 };

async function open() {
  const world = await openWorld(machine, { park: () => null });
  const executions = createExecutions({ client: world.client, stateMachineArn });
  const token = (nth: number) => until(() => world.calls[nth - 1]?.payload["token"]).then(String);
  return { world, executions, token };
}

test("an execution that is started twice is one, whether it runs or has ended", async () => {
  const { world, executions, token } = await open();
  expect(await executions.status("run_1", 1)).toBe("missing");
  const started = [executions.start(run), executions.start(run), executions.start(run)];
  expect(await Promise.all(started)).toEqual([true, true, true]);
  expect(await executions.status("run_1", 1)).toBe("running");
  await executions.wake(await token(1));
  await until(async () => (await executions.status("run_1", 1)) === "ended");
  expect(await executions.start(run)).toBe(false);
  expect(await executions.status("run_1", 1)).toBe("ended");
  expect(world.calls).toHaveLength(1);
});

test("what watches the deadlines of a run is an execution of its own, and one", async () => {
  const { world, executions } = await open();
  await Promise.all([executions.watch(run), executions.watch(run)]);
  expect(await executions.status("run_1", 1)).toBe("missing");
  const { status } = await world.describe(
    `${stateMachineArn.replace(":stateMachine:", ":execution:")}:run_1-deadlines`,
  );
  expect(status).toBe("RUNNING");
});

test("the legs of a run are executions of their own", async () => {
  const { executions } = await open();
  await executions.start({ ...run, leg: 2 });
  expect(await executions.status("run_1", 1)).toBe("missing");
  expect(await executions.status("run_1", 2)).toBe("running");
});

test("a token that is unknown, used or timed out is settled", async () => {
  const { world, executions, token } = await open();
  await executions.start(run);
  const first = await token(1);
  expect(await executions.wake(first)).toBe(true);
  expect(await executions.wake(first)).toBe(false);
  expect(await executions.wake("no token of anything")).toBe(false);
  await executions.start({ ...run, leg: 2 });
  const second = await token(2);
  const executionArn = `${stateMachineArn.replace(":stateMachine:", ":execution:")}:run_1-2`;
  await world.client.send(new StopExecutionCommand({ executionArn }));
  expect(await executions.wake(second)).toBe(false);
  expect(await executions.status("run_1", 2)).toBe("ended");
});

test("an engine that cannot be reached is an error and not a settled token", async () => {
  const { world, executions, token } = await open();
  await executions.start(run);
  const waiting = await token(1);
  await world.sfn.close();
  await expect(executions.wake(waiting)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  await expect(executions.status("run_1", 1)).rejects.toThrow();
});
