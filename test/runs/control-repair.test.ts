import { DescribeExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { loadFunction, nowhere, proxyEvent } from "./functions.ts";
import { executionOf, quiet, sfn, stateMachineArn } from "./history.ts";
import { eventually, only, output, said, type Talk } from "./talk.ts";
import { playScript, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  // The functions in this process log what they could not do, which is what is wanted of them here.
  vi.spyOn(console, "log").mockReturnValue();
  world = await startWorld({ kept: true });
});
afterAll(() => world.close());

/** Sends a control through an `api` function that commits and then cannot reach Step Functions. */
async function commitOnly(talk: Talk, what: string, body: object = {}): Promise<number> {
  const api = await loadFunction(world.laptop(), "api", nowhere);
  const event = proxyEvent("POST", `/sessions/${talk.id}/${what}`, body);
  return z.object({ statusCode: z.int() }).parse(await api(event)).statusCode;
}

async function waiting() {
  const actor = await world.actor(playScript("return await tools.look_up()"), { tools: ["look_up"] });
  const talk = await actor.talk();
  const input = await talk.send("Look");
  const call = only(await talk.calls(1));
  await quiet(sfn(world.laptop()));
  return { actor, talk, input, call };
}

describe("a control whose committer could not tell the engine", () => {
  it("is consumed all the same: a stop of a run that waits", async () => {
    const { talk, input } = await waiting();
    expect(await commitOnly(talk, "stop", { run_id: input.run_id })).toBe(202);
    expect((await talk.ended(input)).status).toBe("stopped");
    await quiet(sfn(world.laptop()));
  });

  it("is consumed all the same: a pause and its resume", async () => {
    const { talk, input, call, actor } = await waiting();
    expect(await commitOnly(talk, "pause")).toBe(202);
    await talk.until(({ status }) => status === "paused");
    await talk.settle(call, output(1));
    expect(await commitOnly(talk, "resume")).toBe(200);
    expect(said(await talk.ended(input))).toEqual(["It gave 1"]);
    expect(actor.asked).toHaveLength(2);
  });

  it("is consumed after a kill of everything: a stop", async () => {
    const { talk, input } = await waiting();
    const over = Promise.allSettled([commitOnly(talk, "stop", { run_id: input.run_id })]);
    while ((await talk.session()).status !== "pausing");
    await world.down("kill");
    await over;
    await world.up();
    expect((await talk.ended(input)).status).toBe("stopped");
    expect(only(await talk.eventsOf("run.stopped")).data.run.id).toBe(input.run_id);
  });
});

describe("an accepted stop", () => {
  it("is finalized when the run's execution is lost, and not as interrupted", async () => {
    const actor = await world.actor(() => ({ text: "word ".repeat(500), chunks: 500, chunkMs: 500 }));
    const talk = await actor.talk();
    const input = await talk.send("Hi");
    await eventually(
      () => actor.asked.length,
      (count) => count === 1,
    );
    const over = Promise.allSettled([commitOnly(talk, "stop", { run_id: input.run_id })]);
    while ((await talk.session()).status === "active");
    await world.down("kill");
    await over;
    await world.up();
    expect((await talk.ended(input)).status).toBe("stopped");
    expect(await talk.eventsOf("run.interrupted")).toEqual([]);
    expect(await talk.session()).toMatchObject({ status: "paused", active_run_id: null });
  });
});

describe("a run that has used up the history of its execution", () => {
  it("goes on in the next, dispatching and asking nothing again", async () => {
    const { talk, input, call, actor } = await waiting();
    const runId = input.run_id ?? "";
    const advance = await loadFunction(world.laptop(), "advance");
    const task = { sessionId: talk.id, runId, leg: 1, cycle: 1_500, stateMachineArn };
    expect(await advance(task)).toMatchObject({ next: "done" });
    // The call is still open, and its result reaches the run where it is now.
    await talk.settle(call, output(2));
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", "It gave 2"]);
    expect(await talk.eventsOf("tool.requested")).toHaveLength(1);
    expect(actor.asked).toHaveLength(2);
    const client = sfn(world.laptop());
    const second = await client.send(
      new DescribeExecutionCommand({ executionArn: executionOf(`${runId}-2`) }),
    );
    expect(["RUNNING", "SUCCEEDED"]).toContain(second.status);
  });
});
