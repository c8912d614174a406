import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Input } from "../../contract/schemas/inputs.ts";
import type { PendingToolCall } from "../../contract/schemas/tool-calls.ts";
import { codeOf } from "../support/api.ts";
import { sfn, statusOf } from "./history.ts";
import { checkDense, eventually, only, output, said, settled, type Talk } from "./talk.ts";
import { type Actor, playScript, providers, startWorld, type World } from "./world.ts";

const look = "print(load('last') ?? 'nothing'); store('last', await tools.look_up()); return load('last')";
const tools = ["look_up"];

type Waiting = {
  readonly actor: Actor;
  readonly talk: Talk;
  readonly input: Input;
  readonly call: PendingToolCall;
};
type Streaming = {
  readonly actor: Actor;
  readonly talk: Talk;
  readonly input: Input;
  readonly queued: readonly Input[];
};

let world: World;
let waiting: Record<(typeof providers)[number], Waiting>;
let streaming: Record<(typeof providers)[number], Streaming>;
let sleeping: { readonly actor: Actor; readonly talk: Talk; readonly input: Input };
let idle: { readonly actor: Actor; readonly talk: Talk; readonly text: readonly string[] };

/** One session in each phase of a run, and then the stack is killed under all of them and started again. */
beforeAll(async () => {
  world = await startWorld({ kept: true });
  waiting = { openai: await wait("openai"), anthropic: await wait("anthropic") };
  idle = await rest();
  sleeping = await sleep();
  streaming = { openai: await stream("openai"), anthropic: await stream("anthropic") };
  await world.down("kill");
  await world.up();
});
afterAll(() => world.close());

/** A session that has had a run and waits for a call in the second. */
async function wait(provider: (typeof providers)[number]): Promise<Waiting> {
  const actor = await world.actor(playScript(look), { provider, tools });
  const talk = await actor.talk();
  const first = await talk.send("Look");
  await talk.settle(only(await talk.calls(1)), output("first"));
  await talk.ended(first);
  const input = await talk.send("Look again");
  return { actor, talk, input, call: only(await talk.calls(1)) };
}

async function rest() {
  const actor = await world.actor(({ turns }) => ({ text: `That was turn ${turns.length}.` }));
  const talk = await actor.talk();
  return { actor, talk, text: [...said(await talk.ask("One")), ...said(await talk.ask("Two"))] };
}

/** A session whose model asked to be left alone for longer than a function waits. */
async function sleep() {
  const later = {
    status: 429,
    type: "rate_limit_error",
    message: "Later.",
    headers: { "retry-after": "11" },
  };
  const actor = await world.actor((_, nth) => (nth === 1 ? { httpError: later } : { text: "At last." }));
  const talk = await actor.talk();
  const input = await talk.send("Hi");
  await eventually(
    () => actor.asked.length,
    (count) => count === 1,
  );
  return { actor, talk, input };
}

/** A session whose model is in the middle of an answer, with two inputs behind it and steering. */
async function stream(provider: (typeof providers)[number]): Promise<Streaming> {
  const actor = await world.actor(() => ({ text: "A long answer.", chunks: 1_000, chunkMs: 1_000 }), {
    provider,
  });
  const talk = await actor.talk();
  const input = await talk.send("Hi");
  const queued = [await talk.send("Next"), await talk.send("After that")];
  await eventually(
    () => actor.asked.length,
    (count) => count === 1,
  );
  return { actor, talk, input, queued: [...queued, await talk.send("Steer", { mode: "steer" })] };
}

describe.each(providers)("a call of %s that is pending when the stack is killed", (provider) => {
  it("takes its result afterwards, and the same run completes without asking or requesting twice", async () => {
    const { actor, talk, input, call } = waiting[provider];
    expect((await talk.session()).pending_tool_calls).toEqual([call]);
    await talk.settle(call, output("second"));
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", 'It gave first\n"second"']);
    expect(await talk.eventsOf("tool.requested")).toHaveLength(2);
    expect(actor.asked).toHaveLength(4);
    expect(new Set(actor.requests().map(({ attempt }) => attempt))).toEqual(new Set([1]));
    checkDense(await talk.events());
  });

  it("leaves what scripts stored to the scripts that come", async () => {
    const { talk } = waiting[provider];
    const input = await talk.send("Once more");
    await talk.settle(only(await talk.calls(1)), output("third"));
    expect(said(await talk.ended(input))).toEqual(['It gave second\n"third"']);
  });
});

describe.each(providers)("a run of %s that is killed while the model streams", (provider) => {
  it("is interrupted once, and the session is paused with everything that it had accepted", async () => {
    const { actor, talk, input, queued } = streaming[provider];
    const session = await talk.until(({ status }) => status === "paused");
    expect(session).toMatchObject({
      active_run_id: input.run_id,
      active_run_status: "interrupted",
      pending_input_count: 2,
    });
    const run = await talk.run(input.run_id ?? "");
    expect(run).toMatchObject({
      status: "interrupted",
      error: { code: "harness_lost" },
      messages: [],
      ended_at: null,
    });
    expect(await talk.eventsOf("run.interrupted")).toHaveLength(1);
    const statuses = await Promise.all(queued.map(async ({ id }) => (await talk.input(id)).status));
    expect(statuses).toEqual(["accepted", "accepted", "accepted"]);
    expect(actor.asked).toHaveLength(1);
    checkDense(await talk.events());
  });

  it("takes no steering any more, and queued input waits", async () => {
    const { talk } = streaming[provider];
    await talk.until(({ status }) => status === "paused");
    const refused = await world.api().send("POST", `/sessions/${talk.id}/inputs`, {
      mode: "steer",
      content: [{ type: "text", text: "Go on" }],
    });
    expect([refused.status, codeOf(refused)]).toEqual([409, "run_interrupted"]);
    expect(await talk.send("Third")).toMatchObject({ status: "accepted", run_id: null });
    expect((await talk.session()).pending_input_count).toBe(3);
  });
});

describe("what is not a run in a function", () => {
  it("goes on as if nothing had been: a wait before a retry", async () => {
    const { actor, talk, input } = sleeping;
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", "At last."]);
    expect(actor.asked).toHaveLength(2);
  });

  it("is kept: conversations, agents and keys", async () => {
    const { talk, actor, text } = idle;
    expect(text).toEqual(["That was turn 1.", "That was turn 3."]);
    expect(said(await talk.ask("Three"))).toEqual(["That was turn 5."]);
    expect(said(await (await actor.talk()).ask("One"))).toEqual(["That was turn 1."]);
  });
});

it("a second start, which looks at every session again, changes nothing", async () => {
  const talks = [...Object.values(waiting), ...Object.values(streaming), sleeping, idle].map(
    ({ talk }) => talk,
  );
  await Promise.all([
    ...Object.values(streaming).map(({ talk }) => talk.until(({ status }) => status === "paused")),
    ...[...Object.values(waiting), sleeping, idle].map(({ talk }) => settled(talk)),
  ]);
  const before = await Promise.all(talks.map((talk) => talk.events()));
  expect(await world.down("stop")).toBe(0);
  await world.up();
  const client = sfn(world.laptop());
  await eventually(
    async () => (await world.laptop().counters()).invocations["sweep"] ?? 0,
    (count) => count > 0,
  );
  expect(await Promise.all(talks.map((talk) => talk.events()))).toEqual(before);
  for (const { input } of Object.values(streaming)) {
    expect(await statusOf(client, input.run_id ?? "")).toBe("FAILED");
  }
  client.destroy();
});
