import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, isIdle, isWaiting } from "../support/api.ts";
import { patience } from "../support/patience.ts";
import { deltasOf, eventsOf, type Frame, isOver, openStream } from "../support/sse.ts";
import { laptopCan, laptopOf, type Target, target } from "../support/target.ts";
import { agentConfig, askForCustomer } from "./refusals/world.ts";

let stack: Target;
let api: Backend;
let agentId: string;

beforeAll(async () => {
  stack = await target();
  ({ api } = stack);
  agentId = (await api.createAgent(agentConfig((await api.createKey()).id))).id;
}, patience.hook);
afterAll(() => stack?.close());

/** A session that talked once, and its events. */
async function talked() {
  const { id } = await api.createSession(agentId);
  await api.sendInput(id, "Hello");
  await api.until(id, isIdle);
  return { id, events: await api.events(id) };
}

/** Answers the first call that the stream tells of. */
async function answerCall(id: string, frames: readonly Frame[]) {
  const requested = eventsOf(frames).find(({ type }) => type === "tool.requested");
  if (requested?.type !== "tool.requested") throw new Error("the run made no call");
  const { id: call_id, run_id } = requested.data.call;
  const body = { run_id, results: [{ call_id, success: true, output: { name: "Ada" } }] };
  await api.send("POST", `/sessions/${id}/tool-results`, body);
}

const types = (frames: readonly Frame[]) => frames.map(({ item }) => item.type);
const has = (type: string) => (frames: readonly Frame[]) => frames.some(({ item }) => item.type === type);

// Side by side, since one of them waits for a heartbeat.
describe.concurrent("an event stream", patience.test, () => {
  it("has the headers that keep caches and proxies from holding it back", async () => {
    const { id } = await api.createSession(agentId);
    const stream = await openStream(api, id);
    await stream.close();
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(stream.headers.get("x-accel-buffering")).toBe("no");
    expect(stream.headers.get("x-request-id")).toMatch(/\S/);
  });

  it("of an archived session ends, wherever it begins", async () => {
    const { id } = await talked();
    await api.send("POST", `/sessions/${id}/archive`);
    const events = await api.events(id);
    for (const after of [undefined, ...events.slice(-2).map((event) => event.id)]) {
      const stream = await openStream(api, id, after === undefined ? {} : { after });
      await expect.poll(stream.ended).toBe("server");
      const missed = after === undefined ? [] : events.slice(events.findIndex((e) => e.id === after) + 1);
      expect(eventsOf(stream.frames)).toEqual(missed);
    }
  });

  it("begins with what happens next where no place is named", async () => {
    const { id, events } = await talked();
    const stream = await openStream(api, id);
    await api.sendInput(id, "And then?");
    await stream.until(isOver);
    await stream.close();
    expect(eventsOf(stream.frames)).toEqual((await api.events(id)).slice(events.length));
    expect(types(stream.frames)[0]).toBe("input.accepted");
  });

  it("begins behind the place that either parameter names, or both", async () => {
    const { id, events } = await talked();
    const place = String(events[2]?.id);
    for (const options of [{ after: place }, { lastEventId: place }, { after: place, lastEventId: place }]) {
      const stream = await openStream(api, id, options);
      await stream.until(isOver);
      await stream.close();
      expect(eventsOf(stream.frames)).toEqual(events.slice(3));
    }
  });

  it("replays nothing behind the last event, and goes on from there", async () => {
    const { id, events } = await talked();
    const stream = await openStream(api, id, { after: String(events.at(-1)?.id) });
    await api.sendInput(id, "Go on.");
    await stream.until(isOver);
    await stream.close();
    expect([...events, ...eventsOf(stream.frames)]).toEqual(await api.events(id));
  });

  it("has no previews unless they are asked for", async () => {
    const { id } = await api.createSession(agentId);
    const streams = await Promise.all([
      openStream(api, id),
      openStream(api, id, { deltas: false }),
      openStream(api, id, { deltas: true }),
    ]);
    await api.sendInput(id, "Hello");
    await Promise.all(streams.map((stream) => stream.until(isOver)));
    await Promise.all(streams.map((stream) => stream.close()));
    const [none, off, on] = streams.map(({ frames }) => deltasOf(frames).length);
    expect([none, off]).toEqual([0, 0]);
    expect(on).toBeGreaterThan(0);
    const [first, ...others] = streams.map(({ frames }) => eventsOf(frames));
    expect(others).toEqual([first, first]);
  });

  it("tells of a run's end when it can be read", async () => {
    const { id } = await api.createSession(agentId);
    for (const text of ["one", "two"]) {
      const stream = await openStream(api, id);
      const { run_id } = await api.sendInput(id, text);
      await stream.until(has("run.completed"));
      const run = await api.run(id, String(run_id));
      await stream.close();
      expect(run.status).toBe("completed");
      const told = eventsOf(stream.frames).flatMap((event) =>
        event.type === "message.completed" ? [event.data.message] : [],
      );
      expect(told).toHaveLength(1);
      expect(run.messages).toEqual(told);
    }
  });

  it("tells each event once and as history has it, while a session is busy", async () => {
    const { id } = await api.createSession(agentId);
    const stream = await openStream(api, id);
    const first = (await api.events(id)).length;
    await Promise.all(["one", "two", "three", "four"].map((text) => api.sendInput(id, text)));
    await stream.until(
      (frames) => types(frames).filter((type) => type === "run.completed").length === 4 && isOver(frames),
    );
    await stream.close();
    expect(eventsOf(stream.frames)).toEqual((await api.events(id)).slice(first));
  });

  it("shows nothing of another session", async () => {
    const [watched, other] = await Promise.all([api.createSession(agentId), api.createSession(agentId)]);
    const stream = await openStream(api, watched.id, { deltas: true });
    await api.sendInput(other.id, "Hello");
    await api.until(other.id, isIdle);
    await api.sendInput(watched.id, "Hello");
    await stream.until(isOver);
    await stream.close();
    expect(new Set(stream.frames.map(({ item }) => item.session_id))).toEqual(new Set([watched.id]));
  });

  it("stays open without a run, and says so every ten seconds", async () => {
    const { id, events } = await talked();
    const stream = await openStream(api, id, { deltas: true });
    const opened = performance.now();
    await stream.until(() => stream.comments.includes("heartbeat"), 20_000);
    expect(performance.now() - opened).toBeGreaterThan(9_000);
    expect(stream.frames).toEqual([]);
    expect(stream.ended()).toBeNull();
    await api.sendInput(id, "Still there?");
    await stream.until(isOver);
    await stream.close();
    expect(eventsOf(stream.frames)).toEqual((await api.events(id)).slice(events.length));
  });

  it("that is cut stops nothing", async () => {
    const { id } = await api.createSession(agentId);
    const stream = await openStream(api, id, { deltas: true });
    await api.sendInput(id, askForCustomer);
    await stream.until(has("input.accepted"));
    await stream.close();
    await api.until(id, isWaiting);
    const again = await openStream(api, id, { after: String((await api.events(id))[0]?.id) });
    await again.until(has("tool.requested"));
    await answerCall(id, again.frames);
    await again.until(isOver);
    await again.close();
  });
});

describe("a stream that is cut and resumed", patience.test, () => {
  /** Follows a run with a function call from the session's first event, cutting the connection behind `cut` events. */
  async function follow(cut: number) {
    const { id } = await api.createSession(agentId);
    const [created] = await api.events(id);
    const place = String(created?.id);
    const first = await openStream(api, id, { after: place, deltas: cut % 2 === 0 });
    await api.sendInput(id, askForCustomer);
    let answered = false;
    const answer = async (frames: readonly Frame[]) => {
      if (answered || !has("tool.requested")(frames)) return;
      answered = true;
      await answerCall(id, frames);
    };
    const enough = (frames: readonly Frame[]) => eventsOf(frames).length >= cut;
    await first.until((frames) => enough(frames) || (!answered && has("tool.requested")(frames)));
    if (!enough(first.frames)) {
      await answer(first.frames);
      await first.until(enough);
    }
    await first.close();
    // What came beyond the cut was not read.
    const read = eventsOf(first.frames).slice(0, cut);
    const resumed = await openStream(api, id, { lastEventId: read.at(-1)?.id ?? place });
    if (!answered) {
      const seen = () => [...first.frames.slice(0, cut), ...resumed.frames];
      await resumed.until(() => has("tool.requested")(seen()));
      await answer(seen());
    }
    await resumed.until(isOver);
    await resumed.close();
    return { told: [created, ...read, ...eventsOf(resumed.frames)], history: await api.events(id) };
  }

  it("tells the same as history, wherever it was cut", async () => {
    const { history } = await follow(0);
    expect(history.map(({ type }) => type)).toEqual([
      ...["session.created", "input.accepted", "run.started", "input.applied"],
      ...["tool.requested", "session.updated", "tool.completed", "session.updated"],
      ...["message.completed", "run.completed", "session.updated"],
    ]);
    // Behind the last event but one: at the last one there is nothing left to resume for.
    const cuts = Array.from({ length: history.length - 2 }, (_, at) => at + 1);
    for (let at = 0; at < cuts.length; at += 3) {
      const some = cuts.slice(at, at + 3);
      const followed = await Promise.all(some.map(follow));
      for (const [place, { told, history: log }] of followed.entries()) {
        expect([some[place], told]).toEqual([some[place], log]);
        expect(log.map(({ type }) => type)).toEqual(history.map(({ type }) => type));
      }
    }
  });

  it("replays a finished session from any event", async () => {
    const { id, events } = await talked();
    for (const [at, { id: place }] of events.slice(0, -1).entries()) {
      const stream = await openStream(api, id, { lastEventId: place });
      await stream.until(isOver);
      await stream.close();
      expect(eventsOf(stream.frames)).toEqual(events.slice(at + 1));
    }
  });
});

describe.runIf(laptopCan("a server that ends", "it is not ended by a test"))(
  "a server that ends",
  patience.test,
  () => {
    it("closes its streams, and gives no outcome", async () => {
      const { id } = await api.createSession(agentId);
      const stream = await openStream(api, id);
      expect(await laptopOf(stack).stop()).toBe(0);
      await expect(stream.until(isOver)).rejects.toThrow("the stream ended");
      expect(stream.frames).toEqual([]);
    });
  },
);
