import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Session } from "../../contract/schemas/sessions.ts";
import type { Reply } from "../../local/model/reply.ts";
import { codeOf } from "../support/api.ts";
import { checkDense, eventually, only, output, said, settled, type Talk } from "./talk.ts";
import { playScript, providers, startWorld, type World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const control = (talk: Talk, what: string, body?: object) =>
  world.api().send("POST", `/sessions/${talk.id}/${what}`, body);
const stop = (talk: Talk, runId: string | null) => control(talk, "stop", { run_id: runId });

async function accepted(answer: ReturnType<typeof control>, status: number): Promise<Session> {
  const { status: got, body } = await answer;
  expect({ status: got, body }).toMatchObject({ status });
  return Session.parse(body);
}

/** A first answer that takes minutes, and then a short one. */
const slowFirst = (_: unknown, nth: number): Reply =>
  nth === 1 ? { text: "word ".repeat(2_000), chunks: 2_000, chunkMs: 50 } : { text: "Later." };

const asking = (actor: { asked: readonly unknown[] }, count = 1) =>
  eventually(
    () => actor.asked.length,
    (asked) => asked === count,
  );

describe.each(providers)("with %s, a stop", (provider) => {
  it("while the model streams aborts the request, and nothing of its answer is kept", async () => {
    const actor = await world.actor(slowFirst, { provider });
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    await asking(actor);
    const steered = await talk.send("More", { mode: "steer" });
    const queued = await talk.send("Next");
    expect(await accepted(stop(talk, input.run_id), 202)).toMatchObject({
      status: "pausing",
      active_run_status: "stopping",
    });
    const run = await talk.ended(input);
    expect(run).toMatchObject({ status: "stopped", messages: [], error: null });
    expect(await talk.session()).toMatchObject({ status: "paused", pending_input_count: 1 });
    expect(await talk.input(steered.id)).toMatchObject({
      status: "cancelled",
      cancellation_reason: "run_stopped",
    });
    expect(await talk.input(queued.id)).toMatchObject({ status: "accepted", run_id: null });
    expect(await accepted(stop(talk, input.run_id), 200)).toMatchObject({ status: "paused" });
    await accepted(control(talk, "resume"), 200);
    await settled(talk);
    const next = await talk.run((await talk.input(queued.id)).run_id ?? "");
    expect([next.status, ...said(next)]).toEqual(["completed", "Later."]);
    const events = await talk.events();
    checkDense(events);
    const stopped = events.findIndex(({ type }) => type === "run.stopped");
    expect(events.slice(stopped + 1).filter((e) => "run_id" in e && e.run_id === run.id)).toEqual([]);
  });
});

describe("a stop", () => {
  it("ends a script that computes without end", async () => {
    const actor = await world.actor(playScript("for (;;);"));
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    await eventually(
      async () => (await world.laptop().counters()).invocations["advance"] ?? 0,
      (count) => count > 0,
    );
    await asking(actor);
    const started = performance.now();
    await accepted(stop(talk, input.run_id), 202);
    expect((await talk.ended(input)).status).toBe("stopped");
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("of a run that waits cancels its calls, and its results come too late", async () => {
    const actor = await world.actor(playScript("return await Promise.all([tools.a(), tools.b()])"), {
      tools: ["a", "b"],
    });
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    const [first, second] = await talk.calls(2);
    if (first === undefined || second === undefined) throw new Error("there are two");
    await talk.settle(first, output(1));
    await talk.calls(1);
    expect(await accepted(stop(talk, input.run_id), 202)).toMatchObject({ pending_tool_calls: [] });
    expect((await talk.ended(input)).status).toBe("stopped");
    const late = await talk.submit(second.run_id, { call_id: second.id, ...output(2) });
    expect([late.status, codeOf(late)]).toEqual([409, "tool_call_not_pending"]);
    await talk.settle(first, output(1));
    const cancelled = only(await talk.eventsOf("tool.cancelled"));
    expect(cancelled).toMatchObject({
      data: { call: { id: second.id, error: { code: "tool_call_cancelled" } } },
    });
  });

  it("of a run that waits for its provider does not wait for that", async () => {
    const actor = await world.actor(() => ({
      httpError: {
        status: 429,
        type: "rate_limit_error",
        message: "Later.",
        headers: { "retry-after": "300" },
      },
    }));
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    await asking(actor);
    await accepted(stop(talk, input.run_id), 202);
    expect((await talk.ended(input)).status).toBe("stopped");
    expect(actor.asked).toHaveLength(1);
  });

  it("names the run: another session's is not found, an unknown one is not active", async () => {
    const actor = await world.actor(() => ({ text: "Done." }));
    const [one, other] = [await actor.talk(), await actor.talk()];
    const ended = await other.ask("Hi");
    const foreign = await stop(one, ended.id);
    expect([foreign.status, codeOf(foreign)]).toEqual([404, "not_found"]);
    const mine = (await one.ask("Hi")).id;
    const unknown = await stop(one, mine.replace(/\d{10}$/, "0000000999"));
    expect([unknown.status, codeOf(unknown)]).toEqual([409, "run_not_active"]);
    expect(await accepted(stop(one, mine), 200)).toMatchObject({ status: "active" });
  });
});

describe("a pause", () => {
  it("while the model answers lets it finish, and the run goes on after the resume", async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const actor = await world.actor((_, nth) => (nth === 1 ? promise : { text: "All done." }), {
      tools: ["a"],
    });
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    await asking(actor);
    expect(await accepted(control(talk, "pause"), 202)).toMatchObject({ status: "pausing" });
    expect(await accepted(control(talk, "pause"), 202)).toMatchObject({ status: "pausing" });
    const early = await control(talk, "resume");
    expect([early.status, codeOf(early)]).toEqual([409, "session_pausing"]);
    resolve({ text: "Look it up.", scripts: ["return await tools.a()"] });
    await talk.until(({ status }) => status === "paused");
    expect(await talk.session()).toMatchObject({ active_run_id: input.run_id, pending_tool_calls: [] });
    expect(await talk.eventsOf("tool.requested")).toEqual([]);
    expect(await accepted(control(talk, "pause"), 200)).toMatchObject({ status: "paused" });
    const steering = await world.api().send("POST", `/sessions/${talk.id}/inputs`, {
      mode: "steer",
      content: [{ type: "text", text: "Now" }],
    });
    expect([steering.status, codeOf(steering)]).toEqual([409, "session_paused"]);
    await accepted(control(talk, "resume"), 200);
    await talk.settle(only(await talk.calls(1)), output(1));
    const run = await talk.ended(input);
    expect([run.status, ...said(run)]).toEqual(["completed", "Look it up.", "All done."]);
    expect(actor.asked).toHaveLength(2);
  });

  it("of a run that waits keeps its calls open, takes their results and asks nothing until the resume", async () => {
    const actor = await world.actor(playScript("return (await tools.a()) + (await tools.b())"), {
      tools: ["a", "b"],
    });
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    const first = only(await talk.calls(1));
    expect(await accepted(control(talk, "pause"), 202)).toMatchObject({
      status: "pausing",
      active_run_status: "waiting_for_tools",
      pending_tool_calls: [{ id: first.id }],
    });
    await talk.until(({ status }) => status === "paused");
    await talk.settle(first, output(1));
    await sleep(300);
    expect(await talk.session()).toMatchObject({
      status: "paused",
      active_run_status: "running",
      pending_tool_calls: [],
    });
    await accepted(control(talk, "resume"), 200);
    const second = only(await talk.calls(1));
    expect(second).toMatchObject({ tool: "b" });
    await talk.settle(second, output(2));
    expect(said(await talk.ended(input))).toEqual(["It gave 3"]);
    expect(actor.asked).toHaveLength(2);
  });

  it("of a run that completes meanwhile still pauses the session", async () => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    const actor = await world.actor((_, nth) => (nth === 1 ? promise : { text: "Second." }));
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    const queued = await talk.send("Next");
    await asking(actor);
    await accepted(control(talk, "pause"), 202);
    resolve({ text: "First." });
    await talk.ended(input);
    expect(await talk.session()).toMatchObject({ status: "paused", pending_input_count: 1 });
    expect(actor.asked).toHaveLength(1);
    expect(await accepted(control(talk, "resume"), 200)).toMatchObject({
      status: "active",
      active_run_status: "running",
      pending_input_count: 0,
    });
    await settled(talk);
    expect((await talk.input(queued.id)).status).toBe("applied");
  });

  it("is lifted by a stop, and the resume after that starts nothing by itself", async () => {
    const actor = await world.actor(playScript("return await tools.a()"), { tools: ["a"] });
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    await talk.calls(1);
    await accepted(control(talk, "pause"), 202);
    await talk.until(({ status }) => status === "paused");
    await accepted(stop(talk, input.run_id), 202);
    expect((await talk.ended(input)).status).toBe("stopped");
    expect(await accepted(control(talk, "resume"), 200)).toMatchObject({
      status: "active",
      active_run_id: null,
    });
  });
});

describe("an archive", () => {
  it("cancels what is queued, closes streams and leaves a session that can be read", async () => {
    const actor = await world.actor(() => ({ text: "Done." }));
    const talk = await actor.talk();
    await talk.ask("Hi");
    await accepted(control(talk, "pause"), 200);
    const queued = await talk.send("Never");
    expect(await accepted(control(talk, "archive"), 200)).toMatchObject({
      status: "archived",
      pending_input_count: 0,
    });
    expect(await accepted(control(talk, "archive"), 200)).toMatchObject({ status: "archived" });
    expect(await talk.input(queued.id)).toMatchObject({
      status: "cancelled",
      cancellation_reason: "session_archived",
    });
    for (const [what, body] of [
      ["pause"],
      ["resume"],
      ["inputs", { mode: "queue", content: [{ type: "text", text: "x" }] }],
    ] as const) {
      const refused = await control(talk, what, body);
      expect([what, refused.status, codeOf(refused)]).toEqual([what, 409, "session_archived"]);
    }
    expect((await talk.events()).at(-1)?.type).toBe("session.archived");
  });

  it("is refused while a run is active", async () => {
    const actor = await world.actor(playScript("return await tools.a()"), { tools: ["a"] });
    const talk = await actor.talk();
    await talk.send("Begin");
    await talk.calls(1);
    const refused = await control(talk, "archive");
    expect([refused.status, codeOf(refused)]).toEqual([409, "session_active"]);
  });
});

describe("a cancellation", () => {
  it("takes a queued input out, once and for all; an input with a run stays", async () => {
    const actor = await world.actor(playScript("return await tools.a()"), { tools: ["a"] });
    const talk = await actor.talk();
    const input = await talk.send("Begin");
    await talk.calls(1);
    const queued = await talk.send("Next");
    const cancel = (id: string) => world.api().send("DELETE", `/sessions/${talk.id}/inputs/${id}`);
    expect((await cancel(queued.id)).status).toBe(204);
    expect((await cancel(queued.id)).status).toBe(204);
    expect(await talk.input(queued.id)).toMatchObject({
      status: "cancelled",
      cancellation_reason: "customer_cancelled",
    });
    expect(await talk.eventsOf("input.cancelled")).toHaveLength(1);
    const bound = await cancel(input.id);
    expect([bound.status, codeOf(bound)]).toEqual([409, "input_not_queued"]);
    const missing = await cancel("inp_none");
    expect([missing.status, codeOf(missing)]).toEqual([404, "not_found"]);
    await talk.settle(only(await talk.calls(1)), output(1));
    await settled(talk);
    expect(await talk.session()).toMatchObject({ pending_input_count: 0 });
  });
});
