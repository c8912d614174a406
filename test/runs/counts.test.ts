import {
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { Counters } from "../support/laptop.ts";
import {
  executionNames,
  executionOf,
  historyOf,
  quiet,
  sfn,
  stateMachineArn,
  statesOf,
  statusOf,
} from "./history.ts";
import { eventually, only, output, said } from "./talk.ts";
import { playScript, providers, startWorld, type World } from "./world.ts";

const secret = "lemon marmalade";
const source = `const { answer } = await tools.look_up({ n: 7 }); print("${secret}"); return answer`;

let world: World;
let client: SFNClient;

beforeAll(async () => {
  world = await startWorld();
  client = sfn(world.laptop());
});
afterAll(async () => {
  client.destroy();
  await world.close();
});

/** What the stack did while `work` ran and until it was quiet again. */
async function countsOf(work: () => Promise<void>) {
  const before = await world.laptop().counters();
  await work();
  const after = await quietly();
  const calls = (name: string) => (after.invocations[name] ?? 0) - (before.invocations[name] ?? 0);
  return {
    advance: calls("advance"),
    await: calls("await"),
    lost: calls("lost"),
    executions: after.executions - before.executions,
    transitions: after.transitions - before.transitions,
    commits:
      (after.dynamodb.operations["TransactWriteItems"] ?? 0) -
      (before.dynamodb.operations["TransactWriteItems"] ?? 0),
  };
}

/** The counters once no execution moves. */
async function quietly(): Promise<Counters> {
  await quiet(client);
  return world.laptop().counters();
}

const Payload = z.object({ Payload: z.object({ token: z.string() }) });

/** The task token that an execution waits with. */
async function tokenOf(runId: string): Promise<string> {
  const history = await historyOf(client, executionOf(runId));
  const scheduled = history.findLast(({ taskScheduledEventDetails: task }) =>
    task?.resource?.endsWith("waitForTaskToken"),
  );
  return Payload.parse(JSON.parse(scheduled?.taskScheduledEventDetails?.parameters ?? "")).Payload.token;
}

describe.each(providers)("with %s, a run", (provider) => {
  it("of text is one call of Advance and at most five transitions", async () => {
    const actor = await world.actor(() => ({ text: "Hello." }), { provider });
    const talk = await actor.talk();
    const counts = await countsOf(async () => {
      expect(said(await talk.ask("Hi"))).toEqual(["Hello."]);
    });
    expect(counts).toMatchObject({ advance: 1, await: 0, lost: 0, executions: 1, commits: 3 });
    // A run's start and end count as well where they are billed.
    expect(counts.transitions + 2).toBeLessThanOrEqual(5);
    expect(actor.asked).toHaveLength(1);
  });

  it("with one function call is two calls of Advance, and none is alive while the call is pending", async () => {
    const actor = await world.actor(playScript(source), { provider, tools: ["look_up"] });
    const talk = await actor.talk();
    let runId = "";
    const counts = await countsOf(async () => {
      const input = await talk.send(`Look it up: ${secret}`);
      runId = input.run_id ?? "";
      const call = only(await talk.calls(1));
      expect(call).toMatchObject({ tool: "look_up", arguments: { n: 7 }, run_id: runId });
      const history = await eventually(
        () => historyOf(client, executionOf(runId)),
        (events) => events.at(-1)?.type === "TaskSubmitted",
      );
      expect(statesOf(history)).toEqual(["Advance", "Next", "Await"]);
      const parked = await quietly();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await world.laptop().counters()).toMatchObject({
        invocations: { advance: parked.invocations["advance"], await: parked.invocations["await"] },
        transitions: parked.transitions,
      });
      await talk.settle(call, output({ answer: `the ${secret}` }));
      expect(said(await talk.ended(input))).toEqual([`It gave ${secret}\n"the ${secret}"`]);
    });
    expect(counts).toMatchObject({ advance: 2, await: 1, lost: 0, executions: 1 });
    expect(actor.asked).toHaveLength(2);
    const history = await historyOf(client, executionOf(runId));
    expect(history.at(-1)?.type).toBe("ExecutionSucceeded");
    expect(JSON.stringify(history)).not.toContain(secret);
    expect(JSON.stringify(history)).not.toContain("look_up");
  });
});

describe("a message that is delivered twice", () => {
  it("releases a task token once: what was not asked for changes nothing", async () => {
    const actor = await world.actor(playScript(source), { tools: ["look_up"] });
    const talk = await actor.talk();
    const input = await talk.send("Look it up");
    const call = only(await talk.calls(1));
    const runId = call.run_id;
    await quietly();
    const taskToken = await tokenOf(runId);
    await client.send(new SendTaskSuccessCommand({ taskToken, output: "{}" }));
    await expect(client.send(new SendTaskSuccessCommand({ taskToken, output: "{}" }))).rejects.toMatchObject({
      name: "TaskTimedOut",
    });
    await eventually(
      () => tokenOf(runId),
      (token) => token !== taskToken,
    );
    await quietly();
    expect((await talk.session()).pending_tool_calls).toEqual([call]);
    await talk.settle(call, output({ answer: 1 }));
    expect(await talk.ended(input)).toMatchObject({ status: "completed" });
    expect(await talk.eventsOf("tool.requested")).toHaveLength(1);
    expect(actor.asked).toHaveLength(2);
  });

  it("starts a run once, whatever name the second execution has", async () => {
    const actor = await world.actor(playScript(source), { tools: ["look_up"] });
    const talk = await actor.talk();
    const input = await talk.send("Look it up");
    const call = only(await talk.calls(1));
    const start = (name: string) =>
      client.send(
        new StartExecutionCommand({
          stateMachineArn,
          name,
          input: JSON.stringify({ sessionId: talk.id, runId: call.run_id, leg: 1, cycle: 0 }),
        }),
      );
    expect((await start(call.run_id)).executionArn).toBe(executionOf(call.run_id));
    await quietly();
    expect(actor.asked).toHaveLength(1);
    await talk.settle(call, output({ answer: 1 }));
    await talk.ended(input);
    await eventually(
      () => statusOf(client, call.run_id),
      (status) => status === "SUCCEEDED",
    );
    await expect(start(call.run_id)).rejects.toMatchObject({ name: "ExecutionAlreadyExists" });
    const before = await talk.events();
    await start(`${call.run_id}-again`);
    await quietly();
    expect(await executionNames(client)).toContain(`${call.run_id}-again`);
    expect(await talk.events()).toEqual(before);
    expect(actor.asked).toHaveLength(2);
  });

  it("interrupts a run whose execution is aborted once", async () => {
    const actor = await world.actor(playScript(source), { tools: ["look_up"] });
    const talk = await actor.talk();
    await talk.send("Look it up");
    const call = only(await talk.calls(1));
    const stop = () => client.send(new StopExecutionCommand({ executionArn: executionOf(call.run_id) }));
    await Promise.all([stop(), stop()]);
    await stop();
    expect(await talk.until(({ status }) => status === "paused")).toMatchObject({
      active_run_id: call.run_id,
      active_run_status: "interrupted",
      pending_tool_calls: [call],
    });
    expect(only(await talk.eventsOf("run.interrupted")).data.run.error?.code).toBe("harness_lost");
    // An interrupted run takes results and does nothing with them.
    await talk.settle(call, output({ answer: 1 }));
    await quietly();
    expect(await talk.session()).toMatchObject({ active_run_status: "interrupted", pending_tool_calls: [] });
    expect(actor.asked).toHaveLength(1);
  });
});

it("a session with nothing to do costs nothing", async () => {
  const talk = await (await world.actor(() => ({ text: "Hello." }))).talk();
  await talk.ask("Hi");
  const before = await quietly();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const after = await world.laptop().counters();
  expect(after.transitions).toBe(before.transitions);
  expect(after.invocations["advance"]).toBe(before.invocations["advance"]);
  expect(after.dynamodb.capacity.write).toBe(before.dynamodb.capacity.write);
});
