import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { InputList } from "../../contract/schemas/inputs.ts";
import type { RecordedRequest } from "../../local/model/record.ts";
import type { Reply } from "../../local/model/reply.ts";
import { checkDense, eventually, exactly, only, output, said, settled, type Talk } from "./talk.ts";
import { providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

/** A reply that comes when the test says so. */
function held<T extends Reply>(reply: T) {
  const { promise, resolve } = Promise.withResolvers<T>();
  return { promise, give: () => resolve(reply) };
}

const Effort = z.union([
  z.object({ reasoning: z.object({ effort: z.string() }) }).transform((body) => body.reasoning.effort),
  z
    .object({ output_config: z.object({ effort: z.string() }) })
    .transform((body) => body.output_config.effort),
]);
const efforts = (requests: readonly RecordedRequest[]) => requests.map(({ parsed }) => Effort.parse(parsed));

const userTexts = (turns: readonly { type: string; text?: string }[]) =>
  turns.flatMap((turn) => (turn.type === "user" ? [turn.text] : []));

const steer = (talk: Talk, text: string, effort: string) =>
  talk.send(text, { mode: "steer", reasoning_effort: effort });

describe.each(providers)("with %s, steering", (provider) => {
  it("that comes while the last answer streams is applied in the same run, in order, with the last effort", async () => {
    const first = held({ text: "First answer." });
    const actor = await world.actor((_, nth) => (nth === 1 ? first.promise : { text: "Second answer." }), {
      provider,
    });
    const talk = await actor.talk();
    const input = await talk.send("Begin", { reasoning_effort: "low" });
    await eventually(
      () => actor.asked.length,
      (count) => count === 1,
    );
    const steers = [
      await steer(talk, "one", "high"),
      await steer(talk, "two", "high"),
      await steer(talk, "three", "medium"),
    ];
    expect(steers.map(({ run_id }) => run_id)).toEqual([input.run_id, input.run_id, input.run_id]);
    first.give();
    const run = await talk.ended(input);
    expect(run).toMatchObject({
      status: "completed",
      applied_input_ids: [input.id, ...steers.map(({ id }) => id)],
    });
    expect(said(run)).toEqual(["First answer.", "Second answer."]);
    expect(userTexts(actor.asked[1]?.turns ?? []).join()).toMatch(/one.*two.*three/s);
    expect(efforts(actor.requests())).toEqual(["low", "medium"]);
  });

  it("that comes while a call is pending is applied after the script, and its effort from then on", async () => {
    const actor = await world.actor(
      ({ lastScriptOutputs, lastUserText }, nth) =>
        nth === 1
          ? { scripts: ["return await tools.look_up()"] }
          : { text: `${lastUserText} after ${lastScriptOutputs.join()}` },
      { provider, tools: ["look_up"] },
    );
    const talk = await actor.talk();
    const input = await talk.send("Begin", { reasoning_effort: "low" });
    const call = only(await talk.calls(1));
    const steered = await steer(talk, "Faster", "high");
    expect((await talk.session()).pending_tool_calls).toHaveLength(1);
    expect((await talk.input(steered.id)).status).toBe("accepted");
    await talk.settle(call, output(1));
    const run = await talk.ended(input);
    expect(said(run)).toEqual(["Faster after 1"]);
    expect(run.applied_input_ids).toEqual([input.id, steered.id]);
    expect(efforts(actor.requests())).toEqual(["low", "high"]);
  });

  it("that comes with the last answer is either applied in the run or starts the next", async () => {
    const actor = await world.actor(({ lastUserText }) => ({ text: `re: ${lastUserText}` }), { provider });
    const talks = await Promise.all(Array.from({ length: 8 }, () => actor.talk()));
    await Promise.all(
      talks.map(async (talk, index) => {
        const input = await talk.send("Begin");
        // About as long as a run takes, some of it before and some of it after the end.
        await new Promise((resolve) => setTimeout(resolve, index * 15));
        const steered = await talk.send("Also", { mode: "steer" });
        await settled(talk);
        const applied = await talk.input(steered.id);
        expect(applied.status).toBe("applied");
        const run = await talk.run(applied.run_id ?? "");
        expect(run.status).toBe("completed");
        expect(run.applied_input_ids).toEqual(
          run.id === input.run_id ? [input.id, steered.id] : [steered.id],
        );
        expect(said(run).at(-1)).toContain("Also");
      }),
    );
  });
});

describe("queued inputs", () => {
  it("become runs of their own, in order, with their own efforts, and without any client's action", async () => {
    const first = held({ text: "re: first" });
    const actor = await world.actor(({ lastUserText }, nth) =>
      nth === 1 ? first.promise : { text: `re: ${lastUserText}` },
    );
    const talk = await actor.talk();
    const inputs = [await talk.send("first", { reasoning_effort: "low" })];
    for (const text of ["second", "third", "fourth"])
      inputs.push(await talk.send(text, { reasoning_effort: "high" }));
    expect((await talk.session()).pending_input_count).toBe(3);
    first.give();
    await settled(talk);
    const started = (await talk.eventsOf("run.started")).map(({ data }) => data.run.initial_input_id);
    expect(started).toEqual(inputs.map(({ id }) => id));
    const runs = await Promise.all(
      inputs.map(async ({ id }) => talk.run((await talk.input(id)).run_id ?? "")),
    );
    expect(runs.flatMap(said)).toEqual(["re: first", "re: second", "re: third", "re: fourth"]);
    expect(efforts(actor.requests())).toEqual(["low", "high", "high", "high"]);
    const events = await talk.events();
    checkDense(events);
    // No run begins before the one before it has ended.
    const spans = events.flatMap(({ type }) =>
      type === "run.started" || type === "run.completed" ? [type] : [],
    );
    expect(spans).toEqual(inputs.flatMap(() => ["run.started", "run.completed"]));
  });
});

describe("20 writers at once", () => {
  it.each(providers)("to one session of %s lose nothing", async (provider) => {
    const script = "return await Promise.all(Array.from({ length: 10 }, (_, n) => tools.count({ n })))";
    const actor = await world.actor((_, nth) => (nth === 1 ? { scripts: [script] } : { text: "Done." }), {
      provider,
      tools: ["count"],
    });
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    const calls = exactly(10, await talk.calls(10));
    const inputs = [input];
    await Promise.all([
      ...Array.from({ length: 5 }, async (_, n) => inputs.push(await talk.send(`queued ${n}`))),
      ...Array.from({ length: 5 }, async (_, n) =>
        inputs.push(await talk.send(`steer ${n}`, { mode: "steer" })),
      ),
      ...calls.map((call) => talk.settle(call, output(call.arguments["n"]))),
    ]);
    expect(inputs).toHaveLength(11);
    await settled(talk);
    const events = await talk.events();
    checkDense(events);
    const applied = events.flatMap((event) => (event.type === "input.applied" ? [event.data.input.id] : []));
    expect([...applied].sort()).toEqual(inputs.map(({ id }) => id).sort());
    expect(events.filter(({ type }) => type === "tool.completed")).toHaveLength(10);
    const listed = await world.api().expectOk(InputList, 200, "GET", `/sessions/${talk.id}/inputs?limit=100`);
    expect(new Set(listed.data.map(({ status }) => status))).toEqual(new Set(["applied"]));
    const ended = events.flatMap((event) => (event.type === "run.completed" ? [event.data.run] : []));
    expect(ended.length).toBeGreaterThanOrEqual(6);
    expect(ended.flatMap((run) => run.applied_input_ids).sort()).toEqual([...applied].sort());
  });
});
