import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { parseSequencedId } from "../../contract/ids.ts";
import { partition, sort } from "../../contract/table.ts";
import type { Page } from "../../core/ports/store.ts";
import type { Lane } from "../../core/session/look.ts";
import { answer, apply, fail, lose, park, pause, queue, request, settlePause } from "../support/commands.ts";
import { dueIn, newSessionId, open, startStores } from "./harness.ts";
import { pastIn, proceed } from "./proceed.ts";

const stores = await startStores();
const { store } = stores;
const listing = { subjectId: null, before: null, limit: 10 };

async function sessionsOf(projectId: string, count: number, subjectId = "tenant/user"): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await open(stores, { projectId, subjectId })).id);
  return ids.reverse();
}

describe("a project's sessions", () => {
  test("are listed newest first, page by page, and once each", async () => {
    const ids = await sessionsOf("prj_pages", 7);
    const pages: Page<string>[] = [];
    for (let before: string | null = null, more = true; more; ) {
      const page: Page<string> = await store.listSessions("prj_pages", { ...listing, before, limit: 3 });
      pages.push(page);
      before = page.items.at(-1) ?? null;
      more = page.more;
    }
    expect(pages.map(({ items }) => items.length)).toEqual([3, 3, 1]);
    expect(pages.flatMap(({ items }) => items)).toEqual(ids);
  });

  test("a page as long as the list has nothing behind it", async () => {
    const ids = await sessionsOf("prj_full", 3);
    expect(await store.listSessions("prj_full", { ...listing, limit: 3 })).toEqual({
      items: ids,
      more: false,
    });
    expect(await store.listSessions("prj_none", listing)).toEqual({ items: [], more: false });
  });

  test("go on behind a session that was deleted between two pages", async () => {
    const ids = await sessionsOf("prj_deleted", 5);
    const first = await store.listSessions("prj_deleted", { ...listing, limit: 2 });
    const before = first.items.at(-1) ?? "";
    for (const id of [before, ids[2] ?? ""]) await unlist("prj_deleted", id);
    const second = await store.listSessions("prj_deleted", { ...listing, before, limit: 2 });
    expect(second).toEqual({ items: ids.slice(3), more: false });
  });

  test("are not joined by those that came while the pages were read", async () => {
    const ids = await sessionsOf("prj_growing", 3);
    const first = await store.listSessions("prj_growing", { ...listing, limit: 2 });
    await sessionsOf("prj_growing", 2);
    const before = first.items.at(-1) ?? "";
    expect(await store.listSessions("prj_growing", { ...listing, before })).toEqual({
      items: ids.slice(2),
      more: false,
    });
  });

  test("are told apart by their subject, exactly", async () => {
    const mine = await sessionsOf("prj_subjects", 2, "tenant/a");
    await sessionsOf("prj_subjects", 2, "tenant/ab");
    const list = (subjectId: string) => store.listSessions("prj_subjects", { ...listing, subjectId });
    expect((await list("tenant/a")).items).toEqual(mine);
    expect((await list("tenant/A")).items).toEqual([]);
    expect((await store.listSessions("prj_subjects", listing)).items).toHaveLength(4);
  });

  test("of another project are not among them", async () => {
    await sessionsOf("prj_a", 1);
    expect((await store.listSessions("prj_", listing)).items).toEqual([]);
  });

  test("are loaded in the order asked for, without those that are gone", async () => {
    const ids = await sessionsOf("prj_many", 3);
    const loaded = await store.loadMany([ids[1] ?? "", "ses_nowhere", ids[0] ?? "", ids[2] ?? ""]);
    expect(loaded.map(({ state }) => state.id)).toEqual([ids[1], ids[0], ids[2]]);
    expect(loaded[0]?.config.subjectId).toBe("tenant/user");
  });

  const unlist = (projectId: string, id: string) =>
    stores.client.send(
      new DeleteCommand({
        TableName: stores.table,
        Key: { pk: partition.project(projectId), sk: sort.session(id) },
      }),
    );
});

describe("a session's records", () => {
  test("inputs are listed in acceptance order behind an input's place", async () => {
    const { id } = await open(stores, { input: "queue" });
    await proceed(store, id, apply(), queue("low"), queue("high"), queue("max"));
    const first = await store.listInputs(id, 0, 2);
    expect(first).toMatchObject({ more: true, items: [{ effort: "medium" }, { effort: "low" }] });
    const place = parseSequencedId(first.items[1]?.id ?? "", id) ?? 0;
    expect(await store.listInputs(id, place, 2)).toMatchObject({
      more: false,
      items: [{ effort: "high" }, { effort: "max" }],
    });
  });

  test("ended runs are listed oldest first and read one by one", async () => {
    const { id } = await open(stores, { input: "queue" });
    await proceed(store, id, apply(), queue(), queue(), answer(), apply(), answer(), apply(), fail());
    const { items } = await store.listRuns(id, 0, 10);
    expect(items.map(({ status }) => status)).toEqual(["completed", "completed", "failed"]);
    const [oldest] = items;
    if (oldest === undefined) throw new Error("there are three");
    expect(await store.run(id, oldest.id)).toEqual(oldest);
    expect((await store.listRuns(id, parseSequencedId(oldest.id, id) ?? 0, 1)).more).toBe(true);
  });

  test("a run that has not ended, or is of another session, is not read", async () => {
    const { id } = await open(stores, { input: "queue" });
    const other = await open(stores, { input: "queue" });
    expect(await store.run(id, other.decision.state.run?.id ?? "")).toBeNull();
    expect(await store.run(id, `run_${id.slice(4)}0000000003`)).toBeNull();
    expect(await store.run(id, "run_garbage")).toBeNull();
  });

  test("messages of a run are in order and no other run's", async () => {
    const { id } = await open(stores, { input: "queue" });
    await proceed(store, id, apply(), queue(), answer(0), apply(), answer(1), ...[]);
    const runs = (await pastIn(store, id)).events.flatMap((e) => (e.type === "run.started" ? [e.runId] : []));
    const messages = await Promise.all(runs.map((run) => store.runMessages(id, run)));
    expect(messages.map((list) => list.length)).toEqual([1, 1]);
    const ids = messages.flat().map((message) => message.id);
    expect([...(await store.messages(id, ids)).keys()].sort()).toEqual(ids);
  });

  test("are found by more ids than one request takes, and only by ids of the session", async () => {
    const { id } = await open(stores, { input: "queue" });
    await proceed(store, id, apply(), answer(1), request(45), request(3));
    const past = await pastIn(store, id);
    const asked = past.events.flatMap((event) => (event.type === "tool.requested" ? [event.callId] : []));
    const strangers = Array.from(
      { length: 80 },
      (_, n) => `call_${id.slice(4)}${String(9_000 + n).padStart(10, "0")}`,
    );
    const found = await store.calls(id, [...strangers, ...asked, "call_other0000000006", "nonsense"]);
    expect([...found.keys()].sort()).toEqual(asked);
  });

  test("of no ids are none", async () => {
    expect(await store.inputs(newSessionId(), [])).toEqual(new Map());
  });
});

describe("what the sweep looks at", () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
  const due = (lane: Lane = "soon", before = inSeconds(3_600)) => dueIn(store, lane, before);

  test("is a session with a run, once it is due, and no other", async () => {
    const idle = await open(stores);
    const running = await open(stores, { input: "queue" });
    expect(await due()).toContain(running.id);
    expect(await due()).not.toContain(idle.id);
    expect(await due("rest")).not.toContain(running.id);
    expect(await due("soon", "2026-01-01T00:00:00.000Z")).not.toContain(running.id);
  });

  test("is no longer a session whose run was lost or has ended", async () => {
    const ended = await open(stores, { input: "queue" });
    const lost = await open(stores, { input: "queue" });
    await proceed(store, ended.id, apply(), answer());
    await proceed(store, lost.id, apply(), lose());
    expect(await due()).not.toContain(ended.id);
    expect(await due()).not.toContain(lost.id);
  });

  test("is in a lane of its own where a run only waits for a client", async () => {
    const { id } = await open(stores, { input: "queue" });
    await proceed(store, id, apply(), answer(1), pause(), settlePause(), park());
    expect(await due("rest", inSeconds(2 * 86_400))).toContain(id);
    expect(await due("soon", inSeconds(2 * 86_400))).not.toContain(id);
  });

  test("can be put off, unless the session has moved on", async () => {
    const { id } = await open(stores, { input: "queue" });
    await store.postpone(id, 1, { lane: "rest", at: inSeconds(7_200) });
    expect([...(await due()), ...(await due("rest"))]).not.toContain(id);
    expect(await due("rest", inSeconds(7_201))).toContain(id);
    await proceed(store, id, apply());
    await store.postpone(id, 1, { lane: "rest", at: inSeconds(7_200) });
    expect(await due()).toContain(id);
  });
});
