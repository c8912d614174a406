import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { quiet, sfn } from "./history.ts";
import { checkDense, eventually, only } from "./talk.ts";
import { playScript, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld({ kept: true });
});
afterAll(() => world.close());

/** Starts the stack again beside an engine that knows nothing, as where a table was restored from a backup. */
async function forgetExecutions(): Promise<void> {
  await world.down("kill");
  await rm(join(world.data ?? "", "stepfunctions"), { recursive: true });
  await world.up();
}

it("a run that has begun and whose execution nobody knows is interrupted by the sweep", async () => {
  const actor = await world.actor(playScript("return await tools.look_up()"), { tools: ["look_up"] });
  const talk = await actor.talk();
  const input = await talk.send("Look");
  const call = only(await talk.calls(1));
  await quiet(sfn(world.laptop()));
  // Of a younger one it may be that it is not described yet.
  await eventually(
    () => Date.now() - Date.parse(input.created_at),
    (age) => age > 5_000,
  );
  await forgetExecutions();
  const session = await talk.until(({ status }) => status === "paused");
  expect(session).toMatchObject({
    active_run_id: input.run_id,
    active_run_status: "interrupted",
    pending_tool_calls: [{ id: call.id }],
  });
  expect((await talk.run(input.run_id ?? "")).error?.code).toBe("harness_lost");
  const control = (what: string, body?: object) =>
    world.api().send("POST", `/sessions/${talk.id}/${what}`, body);
  expect((await control("stop", { run_id: input.run_id })).status).toBe(200);
  expect((await control("resume")).status).toBe(200);
  expect((await talk.ask("Again")).status).toBe("completed");
  checkDense(await talk.events());
});
