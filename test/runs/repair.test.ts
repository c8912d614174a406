import { join } from "node:path";
import type { SFNClient } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { startDynamo } from "../../local/dynamodb/dynamo.ts";
import type { Laptop } from "../support/laptop.ts";
import { loadFunction, nowhere, proxyEvent } from "./functions.ts";
import { executionOf, historyOf, quiet, sfn, statesOf } from "./history.ts";
import { checkDense, only, output, said, type Talk } from "./talk.ts";
import { playScript, startWorld, type World } from "./world.ts";

let world: World;
let client: SFNClient;

beforeAll(async () => {
  // The functions in this process log what they could not do, which is what is wanted of them here.
  vi.spyOn(console, "log").mockReturnValue();
  world = await startWorld({ kept: true });
});
beforeEach(() => {
  client = sfn(world.laptop());
});
afterAll(() => world.close());

const tools = ["look_up"];
const script = playScript("return await tools.look_up()");

/** Sends a request through an `api` function that commits and then cannot reach Step Functions. */
async function commitOnly(path: string, body: object, on: Laptop = world.laptop()): Promise<void> {
  const api = await loadFunction(on, "api", nowhere);
  const { statusCode } = z.object({ statusCode: z.int() }).parse(await api(proxyEvent("POST", path, body)));
  expect([200, 202]).toContain(statusCode);
}

const queued = (text: string) => ({ mode: "queue", content: [{ type: "text", text }] });

/** Commits to the table of a stack that is killed, so that nobody sees the commit, and starts the stack again. */
async function commitWhileDown(path: string, body: object): Promise<void> {
  await world.down("kill");
  const dataFile = join(world.data ?? "", "dynamodb", "table.db");
  const dynamo = await startDynamo({ dataFile, onWrite: () => {}, onExit: () => {} });
  const { endpoints, ...laptop } = world.laptop();
  try {
    await commitOnly(path, body, { ...laptop, endpoints: { ...endpoints, dynamodb: dynamo.url } });
  } finally {
    await dynamo.close();
  }
  await world.up();
  client = sfn(world.laptop());
}

async function expectOneRun(talk: Talk, text: string): Promise<void> {
  const { run } = only(await talk.eventsOf("run.started")).data;
  const ended = await talk.ended(run.id);
  expect([ended.status, ...said(ended)]).toEqual(["completed", text]);
  checkDense(await talk.events());
  await quiet(client);
}

describe("what a committer did not get to after its commit", () => {
  it("is done from the table's stream: the start of a run", async () => {
    const actor = await world.actor(() => ({ text: "Hello." }));
    const talk = await actor.talk();
    await commitOnly(`/sessions/${talk.id}/inputs`, queued("Hi"));
    await expectOneRun(talk, "Hello.");
    expect(actor.asked).toHaveLength(1);
  });

  it("is done from the table's stream: the release of a waiting run", async () => {
    const actor = await world.actor(script, { tools });
    const talk = await actor.talk();
    await talk.send("Look");
    const call = only(await talk.calls(1));
    await quiet(client);
    const results = [{ call_id: call.id, ...output(1) }];
    await commitOnly(`/sessions/${talk.id}/tool-results`, { run_id: call.run_id, results });
    await expectOneRun(talk, "It gave 1");
    expect(
      statesOf(await historyOf(client, executionOf(call.run_id))).filter((at) => at === "Advance"),
    ).toHaveLength(2);
    expect(actor.asked).toHaveLength(2);
  });

  it("is done at the next start after a kill: the start of a run", async () => {
    const actor = await world.actor(() => ({ text: "Hello." }));
    const talk = await actor.talk();
    await commitWhileDown(`/sessions/${talk.id}/inputs`, queued("Hi"));
    await expectOneRun(talk, "Hello.");
    expect(actor.asked).toHaveLength(1);
  });

  it("is done at the next start after a kill: the release of a waiting run", async () => {
    const actor = await world.actor(script, { tools });
    const talk = await actor.talk();
    await talk.send("Look");
    const call = only(await talk.calls(1));
    await quiet(client);
    const results = [{ call_id: call.id, ...output(1) }];
    await commitWhileDown(`/sessions/${talk.id}/tool-results`, { run_id: call.run_id, results });
    await expectOneRun(talk, "It gave 1");
    expect(actor.asked).toHaveLength(2);
    expect(await talk.eventsOf("tool.requested")).toHaveLength(1);
  });
});

const Invocation = z.object({ Payload: z.record(z.string(), z.json()) });

/** What the last state of a kind was given. */
async function payloadOf(runId: string, resource: string) {
  const history = await historyOf(client, executionOf(runId));
  const task = history.findLast((event) => event.taskScheduledEventDetails?.resource === resource);
  return Invocation.parse(JSON.parse(task?.taskScheduledEventDetails?.parameters ?? "")).Payload;
}

describe("an event that is delivered twice has one effect", () => {
  it("where a run waits: Await, the stream's consumer and the sweep", async () => {
    const actor = await world.actor(script, { tools });
    const talk = await actor.talk();
    await talk.send("Look");
    const call = only(await talk.calls(1));
    await quiet(client);
    const before = await talk.events();
    const [park, fanout, sweep] = [
      await loadFunction(world.laptop(), "await"),
      await loadFunction(world.laptop(), "fanout"),
      await loadFunction(world.laptop(), "sweep"),
    ];
    const wait = await payloadOf(call.run_id, "invoke.waitForTaskToken");
    const record = (at: number) => ({
      eventSource: "aws:dynamodb",
      dynamodb: { Keys: { pk: { S: `SES#${talk.id}` }, sk: { S: "HEAD" } }, SequenceNumber: String(at) },
    });
    const deliver = () =>
      Promise.all([
        park(wait),
        park(wait),
        fanout({ Records: [record(1), record(2)] }),
        sweep({ all: true }),
        sweep({}),
      ]);
    await deliver();
    expect(await talk.events()).toEqual(before);
    await talk.settle(call, output(1));
    await expectOneRun(talk, "It gave 1");
    const after = await talk.events();
    await deliver();
    await quiet(client);
    expect(await talk.events()).toEqual(after);
    expect(actor.asked).toHaveLength(2);
  });

  it("where a run was lost: from the state machine and from the rule for failed executions", async () => {
    const actor = await world.actor(script, { tools });
    const talk = await actor.talk();
    await talk.send("Look");
    const call = only(await talk.calls(1));
    await quiet(client);
    const lost = await loadFunction(world.laptop(), "lost");
    const run = { sessionId: talk.id, runId: call.run_id, leg: 1 };
    const rule = { source: "aws.states", detail: { input: JSON.stringify({ ...run, cycle: 0 }) } };
    const outcomes = await Promise.all([run, rule, { ...run, leg: 2 }, run].map((event) => lost(event)));
    expect(
      outcomes.filter((outcome) => JSON.stringify(outcome) === '{"outcome":"interrupted"}'),
    ).toHaveLength(1);
    expect(await talk.eventsOf("run.interrupted")).toHaveLength(1);
    expect(await talk.session()).toMatchObject({ status: "paused", pending_tool_calls: [call] });
    checkDense(await talk.events());
  });

  it("where a run has ended: a loss that comes too late changes nothing", async () => {
    const talk = await (await world.actor(() => ({ text: "Hello." }))).talk();
    const { id: runId } = await talk.ask("Hi");
    const before = await talk.events();
    const lost = await loadFunction(world.laptop(), "lost");
    expect(await lost({ sessionId: talk.id, runId, leg: 1 })).toEqual({ outcome: "unaffected" });
    expect(await talk.events()).toEqual(before);
  });
});
