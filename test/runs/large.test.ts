import { afterAll, beforeAll, expect, it } from "vitest";
import { executionOf, historyOf, sfn } from "./history.ts";
import { only, output, said } from "./talk.ts";
import { providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const KILOBYTES = 300;
const large = "ü€😀x".repeat((KILOBYTES * 1024) / 10);

it.each(providers)(
  "a tool output of 300 KB reaches the script of %s whole, and the engine carries ids only",
  async (provider) => {
    const actor = await world.actor(
      ({ lastScriptOutputs: [first] }) =>
        first === undefined ? { scripts: ["return (await tools.look_up()).length"] } : { text: first },
      { provider, tools: ["look_up"] },
    );
    const talk = await actor.talk();
    const input = await talk.send("Look");
    await talk.settle(only(await talk.calls(1)), output(large));
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", String(large.length)]);
    const history = await historyOf(sfn(world.laptop()), executionOf(run.id));
    const longest = Math.max(...history.map((event) => JSON.stringify(event).length));
    expect(longest).toBeLessThan(2_048);
    expect(JSON.stringify(history)).not.toContain("ü€");
    const { call } = only(await talk.eventsOf("tool.completed")).data;
    expect(call.result).toBe(large);
  },
);
