import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../support/api.ts";
import { said } from "./talk.ts";
import { functionTool, playScript, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** A function whose argument `a` has this schema. */
const tool = (schema: object, more: object = {}) => ({
  ...functionTool("look_up"),
  parameters: { type: "object", properties: { a: schema }, ...more },
});
const refersToItself = { $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } };

/** The longest time that the stack took to answer while something went on, in milliseconds. */
async function longestAnswer(during: Promise<unknown>): Promise<number> {
  let over = false;
  const end = during.finally(() => {
    over = true;
  });
  let longest = 0;
  while (!over) {
    const started = performance.now();
    await world.api().send("GET", "/agents");
    longest = Math.max(longest, performance.now() - started);
  }
  await end;
  return longest;
}

describe("arguments", () => {
  it.each([
    [
      "whose validation takes too long",
      { type: "string", pattern: "^(a+)+$" },
      {},
      /validation took too long/,
    ],
    ["whose schema refers to itself without end", { $ref: "#/$defs/a" }, refersToItself, /refers to itself/],
  ])("%s fail the run, say why and hold up nobody else", async (_, schema, more, message) => {
    const source = `return await tools.look_up({ a: "${"a".repeat(40)}!" })`;
    const actor = await world.actor(playScript(source), { tools: [tool(schema, more)] });
    const talk = await actor.talk();
    const running = talk.ask("Go");
    const longest = await longestAnswer(running);
    const run = await running;
    expect(run).toMatchObject({ status: "failed", error: { code: "invalid_tool_arguments" } });
    expect(run.error?.message).toMatch(/^look_up: /);
    expect(run.error?.message).toMatch(message);
    expect(await talk.eventsOf("tool.requested")).toEqual([]);
    expect(longest).toBeLessThan(1_500);
  });
});

describe("an agent", () => {
  const nested = (depth: number): object =>
    depth === 0 ? { type: "string" } : { anyOf: [nested(depth - 1), nested(depth - 1)] };

  it("with a schema of 200 KB of combinations is created or refused, and nobody else waits", async () => {
    const working = await world.actor(() => ({ text: "Hi." }));
    const { id } = await world.api().createKey("openai");
    const config = {
      model: "openai/gpt-6.1-sol",
      model_api_key_id: id,
      instructions: "Be brief.",
      tools: [tool(nested(13))],
    };
    expect(JSON.stringify(config).length).toBeGreaterThan(200_000);
    const creating = world.api().send("POST", "/agents", { name: "Combinations", config });
    expect(await longestAnswer(creating)).toBeLessThan(1_500);
    const answer = await creating;
    if (answer.status !== 201) expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_schema"]);
    expect(said(await (await working.talk()).ask("Hi"))).toEqual(["Hi."]);
  });
});
