import { rm } from "node:fs/promises";
import { join } from "node:path";
import { StopExecutionCommand } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PendingToolCall } from "../../contract/schemas/tool-calls.ts";
import { executionNames, executionOf, quiet, sfn, statusOf } from "./history.ts";
import { checkDense, eventually, exactly, output, type Talk } from "./talk.ts";
import { playScript, startWorld, type World } from "./world.ts";

const DEADLINE_MS = 6_000;
/** What is left of a second, and the time that a busy machine takes. The sweep would come later than this. */
const SECONDS = 4_000;

let world: World;

beforeAll(async () => {
  world = await startWorld({
    kept: true,
    env: { STEPYARD_TOOL_RESULT_SECONDS: String(DEADLINE_MS / 1_000) },
  });
});
afterAll(() => world.close());

/** A session whose run waits for two calls and has lost its execution. */
async function interrupted() {
  const play = playScript("return await Promise.all([tools.look_up(), tools.count()])");
  const actor = await world.actor(play, { tools: ["look_up", "count"] });
  const talk = await actor.talk();
  const input = await talk.send("Look");
  const calls = exactly(2, await talk.calls(2));
  const client = sfn(world.laptop());
  await quiet(client);
  await client.send(new StopExecutionCommand({ executionArn: executionOf(input.run_id ?? "") }));
  client.destroy();
  await talk.until(({ active_run_status: status }) => status === "interrupted");
  return { actor, talk, input, calls };
}

/** Expects that the call expires within seconds of its deadline, or of the stack's start where that was later. */
async function expectTimedOut(talk: Talk, call: PendingToolCall, up = 0): Promise<void> {
  await talk.until(({ pending_tool_calls: pending }) => pending.length === 0);
  const failed = (await talk.eventsOf("tool.failed")).find(({ data }) => data.call.id === call.id);
  expect(failed?.data.call).toMatchObject({ error: { code: "tool_result_timeout" } });
  const expired = Date.parse(failed?.created_at ?? "");
  const deadline = Date.parse(call.deadline_at);
  expect(expired).toBeGreaterThanOrEqual(deadline);
  expect(expired - Math.max(deadline, up)).toBeLessThan(SECONDS);
  checkDense(await talk.events());
}

describe("a call of an interrupted run", () => {
  it("expires within seconds of its deadline, and the run stays interrupted until it is stopped", async () => {
    const { actor, talk, input, calls } = await interrupted();
    const [answered, open] = calls;
    if (answered === undefined || open === undefined) throw new Error("there are two");
    await talk.settle(answered, output(1));
    await expectTimedOut(talk, open);
    expect(await talk.session()).toMatchObject({ status: "paused", active_run_status: "interrupted" });
    const client = sfn(world.laptop());
    const names = await executionNames(client);
    expect(names.filter((name) => name.startsWith(input.run_id ?? ""))).toHaveLength(2);
    client.destroy();
    await world.api().send("POST", `/sessions/${talk.id}/stop`, { run_id: input.run_id });
    expect(await talk.eventsOf("tool.cancelled")).toEqual([]);
    expect(actor.asked).toHaveLength(1);
  });

  it("expires as soon where everything was killed while it waited", async () => {
    const { talk, calls } = await interrupted();
    await quiet(sfn(world.laptop()));
    await world.down("kill");
    await world.up();
    const up = Date.now();
    for (const call of calls) await expectTimedOut(talk, call, up);
  });

  it("expires as soon where nobody knows any more who watched it", async () => {
    const { talk, calls } = await interrupted();
    await world.down("kill");
    await rm(join(world.data ?? "", "stepfunctions"), { recursive: true });
    await world.up();
    const up = Date.now();
    for (const call of calls) await expectTimedOut(talk, call, up);
  });

  it("is cancelled by a stop before its deadline, and whoever watches it does nothing after that", async () => {
    const { talk, input, calls } = await interrupted();
    const client = sfn(world.laptop());
    const watching = () => statusOf(client, `${input.run_id}-deadlines`);
    await eventually(watching, (status) => status === "RUNNING");
    const control = (what: string, body?: object) =>
      world.api().send("POST", `/sessions/${talk.id}/${what}`, body);
    expect((await control("stop", { run_id: input.run_id })).status).toBe(200);
    const cancelled = await talk.eventsOf("tool.cancelled");
    expect(cancelled.map(({ data }) => data.call.id)).toEqual(calls.map(({ id }) => id));
    expect((await control("resume")).status).toBe(200);
    expect((await talk.ask("Go on")).status).toBe("completed");
    const before = await talk.events();
    expect(await eventually(watching, (status) => status !== "RUNNING")).toBe("SUCCEEDED");
    client.destroy();
    expect(await talk.events()).toEqual(before);
  });
});
