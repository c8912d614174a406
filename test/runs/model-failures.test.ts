import type { SFNClient } from "@aws-sdk/client-sfn";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Reply } from "../../local/model/reply.ts";
import { executionOf, historyOf, sfn, statesOf } from "./history.ts";
import { checkDense, eventually, only, output, said } from "./talk.ts";
import { type Player, providers, startWorld, type World } from "./world.ts";

let world: World;
let client: SFNClient;

beforeAll(async () => {
  world = await startWorld();
  client = sfn(world.laptop());
});
afterAll(async () => {
  client.destroy();
  await world.close();
});

const busy: Reply = {
  httpError: {
    status: 429,
    type: "rate_limit_error",
    message: "Slow down.",
    headers: { "retry-after": "1" },
  },
};
const broken: Reply = { httpError: { status: 500, type: "api_error", message: "Something broke." } };
const cut: Reply = { cut: 2, text: "This answer is cut off in the middle." };

/** Notes when each request came. */
function timed(play: Player): { play: Player; times: number[] } {
  const times: number[] = [];
  return {
    times,
    play: (call, nth) => {
      times.push(performance.now());
      return play(call, nth);
    },
  };
}

const gaps = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => (time - (times[index] ?? 0)) / 1_000);

// Most of the time here is spent waiting, so that all of it may wait at once.
describe.concurrent("a passing failure of the model", () => {
  it("is retried three times after growing waits, and then fails the run", async () => {
    const { play, times } = timed((_, nth) => [busy, broken, cut, broken][nth - 1] ?? { text: "Too late." });
    const talk = await (await world.actor(play)).talk();
    const input = await talk.send("Hi");
    const queued = await talk.send("Later");
    const run = await talk.ended(input);
    expect(run).toMatchObject({ status: "failed", error: { code: "model_error" }, messages: [] });
    expect(run.error?.message).toBe("HTTP 500 api_error: Something broke.");
    expect(times).toHaveLength(4);
    gaps(times).forEach((gap, index) => {
      expect(gap).toBeGreaterThanOrEqual(2 ** (index + 1) - 0.05);
    });
    expect(await talk.session()).toMatchObject({
      status: "paused",
      active_run_id: null,
      pending_input_count: 1,
    });
    expect(await talk.input(queued.id)).toMatchObject({ status: "accepted", run_id: null });
    expect(await talk.eventsOf("run.failed")).toHaveLength(1);
    expect(await talk.eventsOf("message.completed")).toEqual([]);
  });

  it.each(providers)("with a Retry-After of one second of %s is waited for two seconds", async (provider) => {
    const { play, times } = timed((_, nth) => (nth === 1 ? busy : { text: "Here I am." }));
    const talk = await (await world.actor(play, { provider })).talk();
    expect((await talk.ask("Hi")).status).toBe("completed");
    const gap = only(gaps(times));
    expect(gap).toBeGreaterThanOrEqual(2 - 0.05);
  });

  it.for(
    providers.flatMap((provider) => [
      { provider, name: "429", reply: busy },
      { provider, name: "500", reply: broken },
      { provider, name: "a stream that is cut", reply: cut },
      {
        provider,
        name: "an error inside the stream",
        reply: {
          streamError: { type: "overloaded_error", message: "Overloaded", after: 1 },
          text: "Half an answer",
        } satisfies Reply,
      },
    ]),
  )("does not show in the conversation: $name of $provider", async ({ provider, reply }) => {
    const actor = await world.actor((_, nth) => (nth === 1 ? reply : { text: "Here I am." }), { provider });
    const talk = await actor.talk();
    const run = await talk.ask("Hi");
    expect([run.status, ...said(run)]).toEqual(["completed", "Here I am."]);
    expect(actor.asked).toHaveLength(2);
    const [first, second] = actor.requests();
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it("after a tool call does not request the call again", async () => {
    const actor = await world.actor(
      ({ lastScriptOutputs }, nth) =>
        nth === 1
          ? { scripts: ["return await tools.pay()"] }
          : nth === 2
            ? cut
            : { text: lastScriptOutputs.join() },
      { tools: ["pay"] },
    );
    const talk = await actor.talk();
    const input = await talk.send("Pay");
    await talk.settle(only(await talk.calls(1)), output("paid"));
    expect(said(await talk.ended(input))).toEqual(['"paid"']);
    expect(await talk.eventsOf("tool.requested")).toHaveLength(1);
    expect(actor.asked).toHaveLength(3);
  });

  it("with a long Retry-After is waited for by the state machine and no function", async () => {
    const later: Reply = {
      httpError: {
        status: 429,
        type: "rate_limit_error",
        message: "Later.",
        headers: { "retry-after": "12" },
      },
    };
    // The first failure is waited for in the function, so that the count of failures has to be carried over.
    const { play, times } = timed((_, nth) => [busy, later][nth - 1] ?? { text: "At last." });
    const talk = await (await world.actor(play)).talk();
    const input = await talk.send("Hi");
    const history = await eventually(
      () => historyOf(client, executionOf(input.run_id ?? "")),
      (events) => statesOf(events).at(-1) === "Await" && events.at(-1)?.type !== "TaskStateEntered",
    );
    expect(statesOf(history)).toEqual(["Advance", "Next", "Await"]);
    // Steering that comes meanwhile is in the request that follows.
    await talk.send("Hurry", { mode: "steer" });
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", "At last."]);
    expect(run.applied_input_ids).toHaveLength(2);
    expect(gaps(times)[1]).toBeGreaterThanOrEqual(11.9);
    expect(statesOf(await historyOf(client, executionOf(run.id)))).toEqual([
      "Advance",
      "Next",
      "Await",
      "Advance",
      "Next",
      "Done",
    ]);
  });

  it("that asks to wait for an hour fails the run at once", async () => {
    const actor = await world.actor(() => ({
      httpError: {
        status: 429,
        type: "rate_limit_error",
        message: "Tomorrow.",
        headers: { "retry-after": "3600" },
      },
    }));
    const run = await (await actor.talk()).ask("Hi");
    expect(run).toMatchObject({ status: "failed", error: { code: "model_error" } });
    expect(actor.asked).toHaveLength(1);
  });
});

describe("a lasting failure of the model", () => {
  it.each(
    providers.flatMap(
      (provider) =>
        [
          [provider, 400, "invalid_request_error"],
          [provider, 401, "authentication_error"],
        ] as const,
    ),
  )("of %s with status %i fails the run at once with a bounded message", async (provider, status, type) => {
    const key = "sk-test-0123456789abcdef";
    const actor = await world.actor(
      () => ({ httpError: { status, type, message: `Bad key ${key} ${"x".repeat(5_000)}` } }),
      { provider },
    );
    const run = await (await actor.talk()).ask("Hi");
    expect(run).toMatchObject({ status: "failed", error: { code: "model_error" } });
    expect(run.error?.message).toMatch(new RegExp(`^HTTP ${status} ${type}: Bad key`));
    expect(run.error?.message).not.toContain(key);
    expect(run.error?.message.length).toBeLessThanOrEqual(500);
    expect(actor.asked).toHaveLength(1);
  });

  it("pauses the session, cancels its steering and calls, and keeps the queue", async () => {
    let refuse = () => {};
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const actor = await world.actor(
      async (_, nth) => {
        if (nth === 1) return { scripts: ["tools.pay(); return await tools.look_up()"] };
        await refused;
        return { httpError: { status: 400, type: "invalid_request_error", message: "No." } };
      },
      { tools: ["pay", "look_up"] },
    );
    const talk = await actor.talk();
    const input = await talk.send("Pay");
    const [pay, look] = await talk.calls(2);
    if (pay === undefined || look === undefined) throw new Error("there are two calls");
    await talk.settle(look, output("found"));
    await eventually(
      () => actor.asked.length,
      (count) => count === 2,
    );
    const steering = await talk.send("Wait", { mode: "steer" });
    const queued = [await talk.send("Next"), await talk.send("After that")];
    refuse();
    const run = await talk.ended(input);
    expect(run).toMatchObject({ status: "failed", applied_input_ids: [input.id] });
    expect(await talk.session()).toMatchObject({
      status: "paused",
      active_run_id: null,
      pending_input_count: 2,
      pending_tool_calls: [],
    });
    expect(await talk.input(steering.id)).toMatchObject({
      status: "cancelled",
      cancellation_reason: "run_failed",
      run_id: run.id,
    });
    for (const { id } of queued)
      expect(await talk.input(id)).toMatchObject({ status: "accepted", run_id: null });
    expect(only(await talk.eventsOf("tool.cancelled")).data.call.id).toBe(pay.id);
    const events = await talk.events();
    checkDense(events);
    // One transition: what was cancelled, the failure and the pause are seen together.
    expect(events.slice(-4).map(({ type }) => type)).toEqual([
      "tool.cancelled",
      "input.cancelled",
      "run.failed",
      "session.updated",
    ]);
    expect(actor.asked).toHaveLength(2);
  });
});

it("a stored key that was deleted fails the run without a request", async () => {
  const own = await world.api().createKey("openai");
  const agent = await world.api().createAgent({
    model: "openai/gpt-6.1-sol",
    model_api_key_id: own.id,
    instructions: "You are nobody.",
    tools: [],
  });
  const session = await world.api().createSession(agent.id);
  expect((await world.api().send("DELETE", `/model-api-keys/${own.id}`)).status).toBeLessThan(300);
  const before = world.model().requests.length;
  await world.api().sendInput(session.id, "Hi");
  await world.api().until(session.id, ({ status }) => status === "paused");
  expect(world.model().requests.length).toBe(before);
});
