import { describe, expect, test } from "vitest";
import { LAST_WRITER_MS } from "../../adapters/aws/session-erase.ts";
import { createSessionStore } from "../../adapters/aws/session-store.ts";
import { blobKey } from "../../contract/table.ts";
import type { ApiPorts, ApiRequest } from "../../core/api/operation.ts";
import { listSessions } from "../../core/api/sessions.ts";
import { VersionConflict } from "../../core/ports/store.ts";
import { sweep } from "../../core/run/sweep.ts";
import { sendInput } from "../../core/session/decide/inputs.ts";
import type { SessionState } from "../../core/session/state.ts";
import { userText } from "../support/commands.ts";
import { moment } from "../support/specification.ts";
import { config, dueIn, itemsOf, open, startStores } from "./harness.ts";

const stores = await startStores();
const { client, table, blobs } = stores;
const session = { ...config, projectId: "prj_spec" };

let now = Date.parse("2026-01-01T00:00:00.000Z");
const store = createSessionStore({ client, table, blobs, now: () => now });
const ports = {
  store,
  clock: { now: () => now, sleep: async () => undefined, random: () => 0 },
  executions: {
    start: () => Promise.reject(new Error("nothing is started")),
    wake: () => Promise.reject(new Error("nothing is woken")),
    watch: () => Promise.reject(new Error("nothing is watched")),
    status: async () => "missing" as const,
  },
  log: { info: () => undefined, warn: () => undefined },
};
const round = () =>
  sweep(ports, {
    before: new Date(now).toISOString(),
    hasTime: () => true,
    most: { soon: 1_000, rest: 1_000 },
  });
const keysOf = async (id: string) => (await itemsOf(stores, id)).map(({ sk }) => String(sk));

/** A paused or idle session's partition with so many items more, and as many objects. */
async function full(count: number) {
  const { id, decision } = await open(stores);
  for (let at = 0; at < count; at += 1) {
    await stores.previews.watch(id, new Date(now));
    const key = blobKey.body(id, String(at));
    await blobs.put({ key, body: "{}" });
  }
  return { id, state: decision.state };
}

function input(state: SessionState) {
  const decision = sendInput(state, { mode: "queue", effort: "off", content: userText("more") }, moment(9));
  if (!decision.accepted) throw new Error(decision.code);
  return decision;
}

describe("a deletion", () => {
  test("leaves a tombstone in place of head and configuration, and the rest to be erased", async () => {
    const { id } = await open(stores, { input: "queue" });
    await store.delete(id, 1, session);
    expect(await store.load(id)).toBeNull();
    expect(await keysOf(id)).toEqual([
      "DELETED",
      expect.stringMatching(/^INPUT#/),
      expect.stringMatching(/^LOG#/),
    ]);
    expect(
      (await store.listSessions("prj_spec", { subjectId: null, before: null, limit: 9 })).items,
    ).not.toContain(id);
  });

  test("in the middle of listing leaves the others in the page", async () => {
    const listed = { ...session, projectId: "prj_listed" };
    const [kept, gone] = [await open(stores, listed), await open(stores, listed)];
    const reader = createSessionStore({ client, table, blobs, now: () => now });
    const loadMany = async (ids: readonly string[]) => {
      const loaded = await reader.loadMany(ids);
      await store.delete(gone.id, 1, listed);
      return loaded;
    };
    const ports = { store: { ...reader, loadMany }, blobs } as unknown as ApiPorts;
    const request = { projectId: "prj_listed", query: { limit: 9 } } as ApiRequest<"get_sessions">;
    const { body } = await listSessions(ports, request, () => undefined);
    expect(body).toMatchObject({ data: [{ id: kept.id }], next_cursor: null });
  });

  test("of a version that has passed is a version conflict, and so is a commit after it", async () => {
    const { id, decision } = await open(stores, { input: "queue" });
    await store.commit(1, input(decision.state), []);
    await expect(store.delete(id, 1, session)).rejects.toThrow(VersionConflict);
    expect(await store.load(id)).toMatchObject({ version: 2 });
    await store.delete(id, 2, session);
    await expect(store.commit(2, input(decision.state), [])).rejects.toThrow(VersionConflict);
    await expect(store.delete(id, 2, session)).rejects.toThrow(VersionConflict);
  });

  test("that was killed before it erased anything is finished by the sweep", async () => {
    const { id } = await full(3);
    const { id: other } = await full(3);
    const untouched = await keysOf(other);
    await store.delete(id, 1, session);
    await round();
    expect(await keysOf(id)).toContain("DELETED");
    expect((await keysOf(id)).length).toBeGreaterThan(1);
    now += 61_000;
    expect(await round()).toMatchObject({ failed: 0 });
    expect(await keysOf(id)).toEqual(["DELETED"]);
    expect(await blobs.removeAll(blobKey.session(id), 0)).toBe(true);
    expect(await keysOf(other)).toEqual(untouched);
    expect(await blobs.removeAll(blobKey.session(other), 0)).toBe(false);
  });

  test("erases as much as it may at once, and goes on where it ended", async () => {
    const { id } = await full(120);
    await store.delete(id, 1, session);
    await store.erase(id, 50);
    expect(await blobs.removeAll(blobKey.session(id), 0)).toBe(false);
    await store.erase(id, 1_000);
    expect(await blobs.removeAll(blobKey.session(id), 0)).toBe(true);
    expect(await keysOf(id)).toEqual(["DELETED"]);
  });

  test("erases once more what came late, and its tombstone last", async () => {
    const { id } = await full(1);
    await store.delete(id, 1, session);
    await store.erase(id, 1_000);
    await blobs.put({ key: blobKey.body(id, "late"), body: "{}" });
    await stores.previews.watch(id, new Date(now));
    now += LAST_WRITER_MS;
    await round();
    expect(await keysOf(id)).toEqual([]);
    expect(await blobs.removeAll(blobKey.session(id), 0)).toBe(true);
    expect(await dueIn(store, "rest", new Date(now).toISOString())).not.toContain(id);
  });

  test("never erases a session that is there", async () => {
    const { id } = await full(1);
    const before = await keysOf(id);
    await store.erase(id, 1_000);
    expect(await keysOf(id)).toEqual(before);
    expect(await blobs.removeAll(blobKey.session(id), 0)).toBe(false);
  });
});
