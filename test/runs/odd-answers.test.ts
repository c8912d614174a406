import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelCall, Reply } from "../../local/model/reply.ts";
import { goesOn, said } from "./talk.ts";
import { type Actor, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const source = (code: string): string => JSON.stringify({ source: code });
/** Answers the first request with this, and every later one with a text. */
const once =
  (reply: Reply) =>
  (_: ModelCall, nth: number): Reply =>
    nth === 1 ? reply : { text: "Understood." };
const outputsOf = (call: ModelCall | undefined): string[] =>
  (call?.turns ?? []).flatMap((turn) => (turn.type === "output" ? [turn.output] : []));
/** Names and ids of all calls in the latest request, as they went over the wire. */
const callsIn = (actor: Actor): { name: string; id: string }[] => {
  const body = actor.requests().at(-1)?.body.toString("utf8") ?? "";
  const found: { name: string; id: string }[] = [];
  JSON.parse(body, (_, value) => {
    if (value?.type === "tool_use") found.push({ name: value.name, id: value.id });
    if (value?.type === "function_call") found.push({ name: value.name, id: value.call_id });
    return value;
  });
  return found;
};

describe.concurrent.each(providers)("a tool that %s's model invented", (provider) => {
  it.for([
    "functions.run_javascript",
    "get customer",
    "",
    "x".repeat(457),
    "run_javascript<|channel|>commentary",
  ])("runs nothing, and the session goes on: %j", async (name) => {
    const actor = await world.actor(once({ calls: [{ name, arguments: source("return 'it ran'") }] }), {
      provider,
    });
    const talk = await actor.talk();
    const run = await talk.ask("Go");
    expect([run.status, ...said(run)]).toEqual(["completed", "Understood."]);
    const outputs = outputsOf(actor.asked[1]);
    expect(outputs).toHaveLength(1);
    expect(outputs[0]).toContain("There is no tool");
    expect(outputs[0]).toContain("Call run_javascript with");
    await goesOn(talk);
    expect(callsIn(actor)).toEqual([
      { name: expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/), id: expect.any(String) },
    ]);
  });
});

describe.concurrent.each(providers)("a call id that %s's model used twice", (provider) => {
  const twice = (id: string): Reply => ({
    calls: ["A", "B"].map((letter) => ({ id, arguments: source(`return "${letter}"`) })),
  });

  it("in one answer is two calls, whose outputs come in their order", async () => {
    const actor = await world.actor(once(twice("call_same")), { provider });
    const talk = await actor.talk();
    expect((await talk.ask("Go")).status).toBe("completed");
    expect(outputsOf(actor.asked[1])).toEqual(['"A"', '"B"']);
    await goesOn(talk);
    expect(new Set(callsIn(actor).map(({ id }) => id)).size).toBe(2);
  });

  it("in another answer and another run is another call, and what was sent keeps its bytes", async () => {
    const actor = await world.actor(
      (_, nth) => (nth % 3 === 0 ? { text: "Understood." } : twice("call_same")),
      { provider },
    );
    const talk = await actor.talk();
    await talk.ask("Go");
    expect((await talk.ask("Again")).status).toBe("completed");
    expect(outputsOf(actor.asked.at(-1))).toEqual(['"A"', '"B"', '"A"', '"B"', '"A"', '"B"', '"A"', '"B"']);
    const sent = actor.requests().map((request) => JSON.parse(request.body.toString("utf8")));
    const entries = sent.map(({ input, messages }) =>
      (input ?? messages).map((item: unknown) => JSON.stringify(item)),
    );
    for (const [nth, before] of entries.slice(0, -1).entries())
      expect(entries[nth + 1].slice(0, before.length)).toEqual(before);
    expect(new Set(callsIn(actor).map(({ id }) => id)).size).toBe(8);
  });

  it("is replaced where it is none that the provider takes", async () => {
    const actor = await world.actor(once(twice("not an id!")), { provider });
    const talk = await actor.talk();
    expect((await talk.ask("Go")).status).toBe("completed");
    expect(outputsOf(actor.asked[1])).toEqual(['"A"', '"B"']);
    await goesOn(talk);
  });
});

describe.concurrent.each(providers)("an answer of %s that was cut at its output limit", (provider) => {
  it("in the middle of its text is gone on with, in a message of its own", async () => {
    const actor = await world.actor(
      (_, nth) => (nth === 1 ? { text: "The first half, ", stop: "length" } : { text: "and the second." }),
      { provider },
    );
    const talk = await actor.talk();
    const run = await talk.ask("Tell");
    expect([run.status, ...said(run)]).toEqual(["completed", "The first half, ", "and the second."]);
    expect(actor.asked[1]?.lastUserText).toContain("go on exactly where it stops");
    await goesOn(talk);
  });

  it("before it had any text is asked for once more, with less thinking", async () => {
    const actor = await world.actor(
      (_, nth) => (nth === 1 ? { reasoning: "Hm.", stop: "length" } : { text: "Shortly." }),
      { provider },
    );
    const talk = await actor.talk();
    const run = await talk.ask("Tell");
    expect([run.status, ...said(run)]).toEqual(["completed", "Shortly."]);
    expect(actor.asked[1]?.lastUserText).toContain("Think less");
    await goesOn(talk);
  });

  it.for(["break off", "are whole by chance"])(
    "never runs the call that it ends with: its arguments %s",
    async (how) => {
      const whole = source("return 'it ran'");
      const actor = await world.actor(
        once({ calls: [{ arguments: how === "break off" ? whole.slice(0, -4) : whole }], stop: "length" }),
        { provider },
      );
      const talk = await actor.talk();
      expect((await talk.ask("Go")).status).toBe("completed");
      expect(outputsOf(actor.asked[1])).toEqual([expect.stringContaining("was cut off")]);
      await goesOn(talk);
    },
  );

  it("runs a call that was whole before the cut", async () => {
    const actor = await world.actor(
      once({
        calls: [{ arguments: source("return 'whole'") }, { arguments: '{"source": "retu' }],
        stop: "length",
      }),
      { provider },
    );
    const talk = await actor.talk();
    expect((await talk.ask("Go")).status).toBe("completed");
    expect(outputsOf(actor.asked[1])).toEqual(['"whole"', expect.stringContaining("was cut off")]);
  });

  it.for<[string, Reply]>([
    ["half a sentence", { text: "Half", stop: "length" }],
    ["reasoning", { reasoning: "Hm.", stop: "length" }],
    ["a call", { calls: [{ arguments: '{"source": "retu' }], stop: "length" }],
  ])("three times in a row fails the run and names the limit: %s", async ([, reply]) => {
    const actor = await world.actor(
      ({ lastUserText }) => (lastUserText === "And now?" ? { text: "Now." } : reply),
      {
        provider,
      },
    );
    const talk = await actor.talk();
    expect(await talk.ask("Tell")).toMatchObject({
      status: "failed",
      error: { code: "model_error", message: expect.stringContaining("output limit") },
    });
    expect(actor.asked).toHaveLength(3);
    await goesOn(talk);
  });
});

describe.concurrent.each(providers)("an answer of %s without anything in it", (provider) => {
  it("after a tool's result completes the run with one request", async () => {
    const actor = await world.actor((_, nth) => (nth === 1 ? { scripts: ["return 1"] } : {}), { provider });
    const talk = await actor.talk();
    expect(await talk.ask("Go")).toMatchObject({ status: "completed", messages: [] });
    expect(actor.asked).toHaveLength(2);
  });
});
