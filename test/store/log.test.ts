import { describe, expect, test } from "vitest";
import { isPublic } from "../../core/session/events.ts";
import { answer, apply, ok, park, queue, request, retry, submit } from "../support/commands.ts";
import { open, startStores } from "./harness.ts";
import { pastIn, proceed } from "./proceed.ts";

const stores = await startStores();
const { store, previews } = stores;

/** Commits with several public events, with one, and with none. */
async function conversation(): Promise<string> {
  const { id } = await open(stores, { input: "queue" });
  const steps = [apply(), retry(1), answer(1), request(2), park("t1"), submit(ok(1)), queue(), park("t2")];
  await proceed(store, id, ...steps);
  return id;
}

describe("the log", () => {
  test.each([1, 2, 3, 100])("read %d commits at a time is every commit once, in order", async (limit) => {
    const id = await conversation();
    const versions: number[] = [];
    const from: { sequence: number; version?: number } = { sequence: 0 };
    for (let more = true; more; ) {
      const page = await store.log(id, from, limit);
      expect(page.items.length).toBeLessThanOrEqual(limit);
      versions.push(...page.items.map(({ version }) => version));
      const last = page.items.at(-1);
      if (last !== undefined) Object.assign(from, { sequence: last.sequence, version: last.version });
      more = page.more;
    }
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("after a sequence has every public event behind it and none before", async () => {
    const id = await conversation();
    const { events, state } = await pastIn(store, id);
    const shown = events.filter(isPublic);
    for (let after = 0; after <= state.sequence; after += 1) {
      const page = await store.log(id, { sequence: after }, 100);
      expect(page.items.every(({ sequence }) => sequence > after)).toBe(true);
      const read = page.items.flatMap((commit) => commit.events).filter(isPublic);
      expect(read.filter(({ sequence }) => sequence > after)).toEqual(shown.slice(after));
    }
  });

  test("after a sequence and version has what was committed without a public event", async () => {
    const id = await conversation();
    const { state } = await pastIn(store, id);
    const last = await store.log(id, { sequence: state.sequence, version: 8 }, 10);
    expect(last.items.map(({ events }) => events.map(({ type }) => type))).toEqual([["engine.parked"]]);
  });

  test("of a session that is not there is empty", async () => {
    expect(await store.log("ses_nowhere", { sequence: 0 }, 10)).toEqual({ items: [], more: false });
  });

  test("keeps to its session, whose id another may begin with", async () => {
    const { id } = await open(stores, { input: "queue" });
    expect(await store.log(id.slice(0, -1), { sequence: 0 }, 10)).toEqual({ items: [], more: false });
  });
});

describe("the tail of the log", () => {
  const window = {
    messageId: "msg_1",
    runId: "run_1",
    chunks: [{ index: 0, contentIndex: 0, text: "語 and \ud83d\ude00" }],
  };

  test("has the text being generated behind the last commit, and only there", async () => {
    const id = await conversation();
    const { state } = await pastIn(store, id);
    expect(await store.tail(id, state.sequence, 10)).toEqual({ items: [], more: false, preview: null });
    await previews.publish(id, window);
    expect(await store.tail(id, state.sequence, 10)).toEqual({ items: [], more: false, preview: window });
    const part = await store.tail(id, 0, 3);
    expect(part).toMatchObject({ more: true, preview: null });
    expect(part.items.map(({ version }) => version)).toEqual([1, 2, 3]);
    const whole = await store.tail(id, 0, 100);
    expect(whole).toMatchObject({ more: false, preview: window });
    expect(whole.items.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("leaves the log itself alone", async () => {
    const id = await conversation();
    await previews.publish(id, window);
    const page = await store.log(id, { sequence: 0 }, 100);
    expect(page).toMatchObject({ more: false });
    expect(page.items).toHaveLength(9);
  });

  test("shows the latest window", async () => {
    const { id } = await open(stores);
    await previews.publish(id, window);
    await previews.publish(id, { ...window, messageId: "msg_2" });
    expect((await store.tail(id, 1, 10)).preview).toMatchObject({ messageId: "msg_2" });
  });
});

test("a session is watched until the time that was said", async () => {
  const { id } = await open(stores);
  expect(await previews.watched(id)).toBe(false);
  await previews.watch(id, new Date(Date.now() + 60_000));
  expect(await previews.watched(id)).toBe(true);
  await previews.watch(id, new Date(Date.now() - 1));
  expect(await previews.watched(id)).toBe(false);
});
