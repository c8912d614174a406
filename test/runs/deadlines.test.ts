import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../support/api.ts";
import { checkDense, exactly, only, output, said } from "./talk.ts";
import { type Player, playScript, providers, startWorld, type World } from "./world.ts";

const DEADLINE_MS = 2_000;
const tools = ["look_up", "count"];

let world: World;

beforeAll(async () => {
  const env = { STEPYARD_TOOL_RESULT_SECONDS: String(DEADLINE_MS / 1_000), STEPYARD_SCRIPT_CPU_MS: "300" };
  world = await startWorld({ kept: true, env });
});
afterAll(() => world.close());

async function scripted(source: string, provider: (typeof providers)[number] = "openai") {
  const actor = await world.actor(playScript(source), { provider, tools });
  return { actor, talk: await actor.talk() };
}

const catching = (call: string) => `try { return await ${call} } catch (error) { return error.code }`;

describe("a call whose deadline passes", () => {
  it("fails with a timeout that the script can catch, and takes no result any more", async () => {
    const { actor, talk } = await scripted(catching("tools.look_up()"));
    const input = await talk.send("Look");
    const run = await talk.ended(input);
    const requested = only(await talk.eventsOf("tool.requested"));
    const { call } = requested.data;
    expect(Date.parse(call.deadline_at) - Date.parse(requested.created_at)).toBe(DEADLINE_MS);
    expect([run.status, ...said(run)]).toEqual(["completed", 'It gave "tool_result_timeout"']);
    const failed = only(await talk.eventsOf("tool.failed"));
    expect(failed.data.call).toMatchObject({ id: call.id, error: { code: "tool_result_timeout" } });
    expect(failed.created_at >= call.deadline_at).toBe(true);
    const late = await talk.submit(run.id, { call_id: call.id, ...output("late") });
    expect([late.status, codeOf(late)]).toEqual([409, "tool_call_not_pending"]);
    expect(actor.asked).toHaveLength(2);
    checkDense(await talk.events());
  });

  it("does not hold up the others", async () => {
    const { talk } = await scripted(
      `const settled = await Promise.allSettled([tools.look_up({ n: 1 }), tools.look_up({ n: 2 })]);
       return settled.map(({ value, reason }) => value ?? reason.code);`,
    );
    const input = await talk.send("Look");
    const [, second] = exactly(2, await talk.calls(2));
    if (second === undefined) throw new Error("there are two calls");
    await talk.settle(second, output("found"));
    expect(said(await talk.ended(input))).toEqual(['It gave ["tool_result_timeout","found"]']);
  });

  it("fails while the model is at work on something else", async () => {
    const play: Player = ({ lastScriptOutputs }) =>
      lastScriptOutputs.length > 0
        ? { text: "word ".repeat(80), chunks: 80, chunkMs: 100 }
        : { scripts: ["return await Promise.race([tools.look_up(), tools.count()])"] };
    const talk = await (await world.actor(play, { tools })).talk();
    const input = await talk.send("Look");
    const [left, answered] = exactly(2, await talk.calls(2));
    if (left === undefined || answered === undefined) throw new Error("there are two calls");
    await talk.settle(answered, output(1));
    expect((await talk.ended(input)).status).toBe("completed");
    const failed = only(await talk.eventsOf("tool.failed"));
    expect(failed.data.call).toMatchObject({ id: left.id, error: { code: "tool_result_timeout" } });
    const [ended] = await talk.eventsOf("run.completed");
    const seconds = (Date.parse(ended?.created_at ?? "") - Date.parse(failed.created_at)) / 1_000;
    expect(seconds).toBeGreaterThan(2);
    checkDense(await talk.events());
  });

  it("while the stack is down fails when it is up again, and the run goes on", async () => {
    const { actor, talk } = await scripted(catching("tools.look_up()"), "anthropic");
    const input = await talk.send("Look");
    const call = only(await talk.calls(1));
    await world.down();
    const left = Date.parse(call.deadline_at) - Date.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)));
    await world.up();
    expect(said(await talk.ended(input))).toEqual(['It gave "tool_result_timeout"']);
    expect(await talk.eventsOf("tool.failed")).toHaveLength(1);
    expect(actor.asked).toHaveLength(2);
  });
});

describe.each(providers)("with %s, a script that uses up its CPU time", (provider) => {
  it("is an error that the model handles, with what it had printed", async () => {
    const { actor, talk } = await scripted("print('begun'); for (;;);", provider);
    const run = await talk.ask("Spin");
    expect(run.status).toBe("completed");
    expect(said(run)).toEqual([expect.stringMatching(/^It gave begun\nscript_cpu_limit: /)]);
    expect(actor.asked).toHaveLength(2);
    // The next script has a budget of its own.
    const outputs = actor.asked.at(-1)?.turns.filter(({ type }) => type === "output");
    expect(outputs).toHaveLength(1);
  });

  it("after a call is one as well, and the time that it waited does not count", async () => {
    const { talk } = await scripted("const found = await tools.look_up(); print(found); for (;;);", provider);
    const input = await talk.send("Spin");
    const call = only(await talk.calls(1));
    await new Promise((resolve) => setTimeout(resolve, 400));
    await talk.settle(call, output("found"));
    expect(said(await talk.ended(input))).toEqual([
      expect.stringMatching(/^It gave found\nscript_cpu_limit: /),
    ]);
    expect(await talk.eventsOf("tool.requested")).toHaveLength(1);
  });
});
