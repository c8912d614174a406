import { describe, expect, test } from "vitest";
import { systemClock } from "../../adapters/system/clock.ts";
import { timestamp } from "../../core/ports/clock.ts";
import type { Loaded } from "../../core/ports/store.ts";
import { sendInput } from "../../core/session/decide/inputs.ts";
import { refuse } from "../../core/session/decision.ts";
import { isPublic } from "../../core/session/events.ts";
import { fold } from "../../core/session/evolve.ts";
import { handle } from "../../core/session/handle.ts";
import { userText } from "../support/commands.ts";
import { open, startStores } from "./harness.ts";

const stores = await startStores();
const ports = { store: stores.store, clock: systemClock };

const queueInput = (sessionId: string, name: string) =>
  handle(ports, sessionId, ({ state }) =>
    sendInput(state, { mode: "queue", effort: "off", content: userText(name) }, timestamp(systemClock)),
  );

describe("twenty writers on one session", () => {
  test("all finish, and nothing is lost, doubled or out of order", async () => {
    const { id } = await open(stores, { input: "queue" });
    const names = Array.from({ length: 20 }, (_, n) => `input ${n}`);
    const handled = await Promise.all(names.map((name) => queueInput(id, name)));
    expect(handled.map(({ outcome }) => outcome)).toEqual(names.map(() => "committed"));

    const { items, more } = await stores.store.log(id, { sequence: 0 }, 100);
    expect(more).toBe(false);
    expect(items.map(({ version }) => version)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
    const events = items.flatMap((commit) => commit.events);
    expect(events.filter(isPublic).map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
    const loaded = await stores.store.load(id);
    expect(loaded).toEqual({ version: 21, state: fold(events) });
    expect(loaded?.state.queue).toHaveLength(20);

    const inputs = await stores.store.listInputs(id, 0, 100);
    const texts = inputs.items.map(({ content }) => JSON.stringify(content)).sort();
    expect(texts).toEqual(["hello", ...names].map((name) => JSON.stringify(userText(name))).sort());
  });

  test("tell each of them the version that is its own", async () => {
    const { id } = await open(stores, { input: "queue" });
    const handled = await Promise.all(Array.from({ length: 6 }, (_, n) => queueInput(id, `input ${n}`)));
    const versions = handled.map((one) => (one.outcome === "committed" ? one.version : 0));
    expect(versions.sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7]);
  });
});

describe("a session that the caller knows", () => {
  const decideInput = ({ state }: Loaded) =>
    sendInput(state, { mode: "queue", effort: "off", content: userText("known") }, timestamp(systemClock));

  test("is not loaded again when nothing has happened since", async () => {
    const { id, decision } = await open(stores, { input: "queue" });
    const reads = stores.counts.dynamodb["GetItem"] ?? 0;
    const handled = await handle(ports, id, decideInput, [], { state: decision.state, version: 1 });
    expect(handled).toMatchObject({ outcome: "committed", version: 2 });
    expect(stores.counts.dynamodb["GetItem"] ?? 0).toBe(reads);
  });

  test("is decided on again when it has moved on", async () => {
    const { id, decision } = await open(stores, { input: "queue" });
    await queueInput(id, "first");
    const handled = await handle(ports, id, decideInput, [], { state: decision.state, version: 1 });
    expect(handled).toMatchObject({ outcome: "committed", version: 3 });
    expect((await stores.store.load(id))?.state.queue).toHaveLength(2);
  });

  test("refuses nothing, and leaves nothing undone, by what is only remembered", async () => {
    const { id, decision } = await open(stores, { input: "queue" });
    await queueInput(id, "first");
    const known = { state: decision.state, version: 1 };
    const refusing = (loaded: Loaded) =>
      loaded.version === 1 ? refuse("session_paused", "no") : decideInput(loaded);
    expect(await handle(ports, id, refusing, [], known)).toMatchObject({ outcome: "committed", version: 3 });
    const idle = (loaded: Loaded) =>
      loaded.version === 1
        ? ({ accepted: true, events: [], changes: [], state: loaded.state } as const)
        : decideInput(loaded);
    expect(await handle(ports, id, idle, [], known)).toMatchObject({ outcome: "committed", version: 4 });
  });
});

describe("a handled command", () => {
  test("on a session that is not there is missing", async () => {
    expect(await queueInput("ses_nowhere", "hello")).toEqual({ outcome: "missing" });
  });

  test("that is refused writes nothing", async () => {
    const { id } = await open(stores);
    const handled = await handle(ports, id, () => refuse("session_paused", "no"));
    expect(handled).toMatchObject({ outcome: "refused", refusal: { code: "session_paused" } });
    expect((await stores.store.load(id))?.version).toBe(1);
  });

  test("that has nothing to do writes nothing", async () => {
    const { id } = await open(stores);
    const handled = await handle(ports, id, ({ state }) => ({
      accepted: true,
      events: [],
      changes: [],
      state,
    }));
    expect(handled).toMatchObject({ outcome: "unchanged", version: 1 });
    expect((await stores.store.load(id))?.version).toBe(1);
  });

  test("passes on what its decision throws", async () => {
    const { id } = await open(stores);
    const failing = handle(ports, id, () => {
      throw new RangeError("a bug");
    });
    await expect(failing).rejects.toThrow(RangeError);
  });
});
