/** What JSON does not have, on its way between script and application. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { only, output, said } from "./talk.ts";
import { playScript, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const tools = ["count"];

it("arguments that JSON does not have are an error in the script, and the run goes on", async () => {
  const source = "try { await tools.count({ n: NaN }) } catch (error) { return [error.name, error.message] }";
  const talk = await (await world.actor(playScript(source), { tools })).talk();
  const run = await talk.ask("Go");
  expect(run.status).toBe("completed");
  expect(only(said(run))).toContain('\\"n\\" is NaN: use null, a finite number or text');
  expect(await talk.eventsOf("tool.requested")).toEqual([]);
});

it("a result whose keys JavaScript treats in its own way reaches the script as it is", async () => {
  const source = "const r = await tools.count(); return [Object.keys(r), r.polluted ?? null]";
  const talk = await (await world.actor(playScript(source), { tools })).talk();
  const input = await talk.send("Go");
  const call = only(await talk.calls(1));
  const result: unknown = JSON.parse('{"__proto__":{"polluted":1},"toString":1}');
  await talk.settle(call, output(result));
  expect(said(await talk.ended(input))).toEqual(['It gave [["__proto__","toString"],null]']);
});
