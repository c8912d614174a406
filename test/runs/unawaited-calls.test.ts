import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf } from "../support/api.ts";
import { checkDense, eventually, exactly, only, output, said, type Talk } from "./talk.ts";
import { playScript, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const tools = ["look_up", "count"];

/** A session whose agent runs one script; what it makes of the script's output is held back until `answer`. */
async function scripted(source: string) {
  const held = Promise.withResolvers<void>();
  const actor = await world.actor(
    async ({ lastScriptOutputs }) => {
      if (lastScriptOutputs.length === 0) return { scripts: [source] };
      await held.promise;
      return { text: `It gave ${lastScriptOutputs.join(" and ")}` };
    },
    { tools },
  );
  const asked = (times: number) =>
    eventually(
      () => actor.asked.length,
      (count) => count === times,
    );
  return { actor, asked, answer: held.resolve, talk: await actor.talk() };
}

const lastStatus = async (talk: Talk) => (await talk.session()).active_run_status;

describe.each([
  ["returns", `tools.look_up({ n: 1 }); return "done"`, 'It gave "done"'],
  ["throws", `tools.look_up({ n: 1 }); throw new Error("broken")`, /^It gave script_error: Error: broken/],
])("a script that %s while nobody awaits its call", (_, source, text) => {
  it("has it requested, and the model goes on while it is pending", async () => {
    const { talk, asked, answer } = await scripted(source);
    const input = await talk.send("Go");
    const call = only(await talk.calls(1));
    await asked(2);
    expect(await talk.session()).toMatchObject({
      active_run_status: "waiting_for_tools",
      pending_tool_calls: [{ id: call.id, tool: "look_up", arguments: { n: 1 } }],
    });
    await talk.settle(call, output("found"));
    expect(await lastStatus(talk)).toBe("running");
    answer();
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", expect.stringMatching(text)]);
    expect(only(await talk.eventsOf("tool.requested")).data.call.id).toBe(call.id);
    expect(only(await talk.eventsOf("tool.completed")).data.call.result).toBe("found");
    checkDense(await talk.events());
  });

  it("leaves it pending until the run ends", async () => {
    const { talk, asked, answer } = await scripted(source);
    const input = await talk.send("Go");
    const call = only(await talk.calls(1));
    await asked(2);
    answer();
    expect(await talk.ended(input)).toMatchObject({ status: "completed" });
    expect(only(await talk.eventsOf("tool.cancelled")).data.call).toMatchObject({
      id: call.id,
      error: { code: "tool_call_cancelled" },
    });
    const late = await talk.submit(call.run_id, { call_id: call.id, ...output(1) });
    expect([late.status, codeOf(late)]).toEqual([409, "tool_call_not_pending"]);
    checkDense(await talk.events());
  });
});

describe("calls that nobody awaits", () => {
  it("after one that is awaited are requested once, whatever was replayed", async () => {
    const { talk, asked, answer } = await scripted(
      "tools.count({ n: 1 }); const n = await tools.look_up({ n: 2 }); tools.count({ n }); return n",
    );
    const input = await talk.send("Go");
    const [first, awaited] = exactly(2, await talk.calls(2));
    if (first === undefined || awaited === undefined) throw new Error("there are two calls");
    await talk.settle(awaited, output(3));
    await asked(2);
    const pending = (await talk.session()).pending_tool_calls;
    expect(pending.map(({ arguments: args }) => args)).toEqual([{ n: 1 }, { n: 3 }]);
    for (const call of pending) await talk.settle(call, output(null));
    answer();
    expect(said(await talk.ended(input))).toEqual(["It gave 3"]);
    expect(await talk.eventsOf("tool.requested")).toHaveLength(3);
    expect(await talk.eventsOf("tool.completed")).toHaveLength(3);
  });

  it("are cancelled by a stop", async () => {
    const { talk, asked, answer } = await scripted("tools.count({ n: 1 }); return 1");
    const input = await talk.send("Go");
    const call = only(await talk.calls(1));
    await asked(2);
    await world.api().send("POST", `/sessions/${talk.id}/stop`, { run_id: call.run_id });
    expect(await talk.ended(input)).toMatchObject({ status: "stopped" });
    expect(only(await talk.eventsOf("tool.cancelled")).data.call.id).toBe(call.id);
    answer();
  });

  it("with invalid arguments fail the run before anything is requested", async () => {
    const actor = await world.actor(
      playScript("tools.count({ n: 1 }); tools.count({ n: 'two' }); return 1"),
      {
        tools,
      },
    );
    const talk = await actor.talk();
    expect(await talk.ask("Go")).toMatchObject({
      status: "failed",
      error: { code: "invalid_tool_arguments", message: "count: /n must be integer" },
    });
    expect(await talk.eventsOf("tool.requested")).toEqual([]);
    expect(actor.asked).toHaveLength(1);
  });

  it("of a tool that was not granted are named in the script's output", async () => {
    const actor = await world.actor(playScript("tools.shell({ command: 'ls' }); return 1"), { tools });
    const talk = await actor.talk();
    expect(said(await talk.ask("Go"))).toEqual([
      "It gave 1\ntool_not_granted: There is no tool shell in this session. Use one that the tool description lists.",
    ]);
    expect(await talk.eventsOf("tool.requested")).toEqual([]);
  });

  it("are requested in slices when there are 60, and the script ends with the last", async () => {
    const { actor, talk, asked, answer } = await scripted(
      "for (let n = 0; n < 60; n++) tools.count({ n }); return 'all'",
    );
    const input = await talk.send("Go");
    const first = await talk.calls(48);
    expect(actor.asked).toHaveLength(1);
    const results = first.slice(0, 12).map(({ id }) => ({ call_id: id, ...output(null) }));
    await talk.submit(only(first.slice(0, 1)).run_id, ...results);
    await asked(2);
    expect((await talk.session()).pending_tool_calls).toHaveLength(48);
    answer();
    expect(said(await talk.ended(input))).toEqual(['It gave "all"']);
    expect((await talk.eventsOf("tool.requested")).map(({ data }) => data.call.arguments["n"])).toEqual(
      Array.from({ length: 60 }, (_, n) => n),
    );
    expect(await talk.eventsOf("tool.cancelled")).toHaveLength(48);
    checkDense(await talk.events());
  });
});
