import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customerTool, isIdle, isWaiting } from "../support/api.ts";
import { asJson, bearer, exchange, refusalOf } from "../support/http.ts";
import { idsOf, type Listed, listOf, pageOf, pagesOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { type Target, target } from "../support/target.ts";
import { agentConfig, askForCustomer } from "./refusals/world.ts";

let stack: Target;
let agentId: string;
let keyId: string;

beforeAll(async () => {
  stack = await target();
  keyId = (await stack.api.createKey()).id;
  agentId = (await stack.api.createAgent(agentConfig(keyId))).id;
}, patience.hook);
afterAll(() => stack?.close());

/** Makes records one after another and then several at once. */
async function make(one: (at: number) => Promise<{ readonly id: string }>) {
  const slowly: { readonly id: string }[] = [];
  for (let at = 0; at < 3; at += 1) slowly.push(await one(at));
  const atOnce = await Promise.all([3, 4, 5, 6, 7, 8].map(one));
  return [...slowly, ...atOnce];
}

const key = (at: number) => stack.api.createKey("openai", `sk-test-0123456789-${at}`);
const agent = (at: number) => stack.api.createAgent(agentConfig(keyId, { tools: [] }), `agent ${at}`);
const session = () => stack.api.createSession(agentId, { subject_id: "tenant/listed" });

/** Newest first; of the same moment, the larger id. */
const byAge = (a: Listed, b: Listed): number =>
  String(b["created_at"]).localeCompare(String(a["created_at"])) || (a.id < b.id ? 1 : -1);

describe.each([
  { path: "/model-api-keys", one: key },
  { path: "/agents", one: agent },
  { path: "/sessions", one: session },
])("the list $path", patience.test, ({ path, one }) => {
  it("is newest first, and its pages are the whole", async () => {
    const made = await make(one);
    const all = await listOf(stack.api, path);
    expect(idsOf(all)).toEqual(expect.arrayContaining(idsOf(made)));
    expect(idsOf(all)).toEqual(idsOf([...all].sort(byAge)));
    expect(idsOf(all.filter(({ id }) => idsOf(made.slice(0, 3)).includes(id)))).toEqual(
      idsOf(made.slice(0, 3).reverse()),
    );
    for (const limit of [3, all.length - 1, all.length]) {
      const pages = await pagesOf(stack.api, path, `limit=${limit}`);
      expect(idsOf(pages.flatMap(({ data }) => data))).toEqual(idsOf(all));
      expect(pages.map(({ data }) => data.length)).toEqual(
        pages.map((_, at) => Math.min(limit, all.length - at * limit)),
      );
    }
  });

  it("shows what is made between two pages on neither", async () => {
    const before = idsOf(await listOf(stack.api, path));
    const first = await pageOf(stack.api, path, "limit=3");
    const { id } = await one(10);
    const rest = await listOf(stack.api, path, "limit=100", first.next_cursor);
    expect([...idsOf(first.data), ...idsOf(rest)]).toEqual(before);
    expect(idsOf((await pageOf(stack.api, path, "limit=1")).data)).toEqual([id]);
  });
});

describe.each([
  { path: "/model-api-keys", one: key },
  { path: "/agents", one: agent },
])("a cursor of $path", patience.test, ({ path, one }) => {
  it("goes on behind its place when records are deleted on both sides of it", async () => {
    await make(one);
    const before = idsOf(await listOf(stack.api, path));
    const first = await pageOf(stack.api, path, "limit=4");
    const shown = idsOf(first.data);
    const next = before.slice(4, 6);
    for (const id of [...shown.slice(2), ...next]) await stack.api.send("DELETE", `${path}/${id}`);
    const rest = idsOf(await listOf(stack.api, path, "limit=2", first.next_cursor));
    expect(rest).toEqual(before.slice(6));
  });

  it("ends where nothing is left behind it", async () => {
    const made = await make(one);
    const page = await pageOf(stack.api, path, `limit=${made.length}`);
    const rest = idsOf(await listOf(stack.api, path, "limit=100", page.next_cursor));
    for (const id of rest.filter((other) => other !== keyId && other !== agentId))
      await stack.api.send("DELETE", `${path}/${id}`);
    const after = await pageOf(stack.api, path, "limit=100", String(page.next_cursor));
    expect(idsOf(after.data)).toEqual(path === "/agents" ? [agentId] : [keyId]);
    expect(after.next_cursor).toBeNull();
  });
});

describe("sessions of a subject", patience.test, () => {
  const subjects = [
    "Tenant/a",
    "tenant/a",
    "tenant/a ",
    "tenant/á",
    "tenant/a&b=c#d",
    "tenant",
    "😀%2F",
    "+",
  ];

  it("are those of exactly this subject", async () => {
    const made = await Promise.all(
      subjects.map((subject_id) => stack.api.createSession(agentId, { subject_id })),
    );
    for (const [at, subject] of subjects.entries()) {
      const listed = await listOf(
        stack.api,
        "/sessions",
        `limit=1&subject_id=${encodeURIComponent(subject)}`,
      );
      expect([subject, idsOf(listed)]).toEqual([subject, [made[at]?.id]]);
      expect(listed[0]?.["subject_id"]).toBe(subject);
    }
    expect(await listOf(stack.api, "/sessions", "limit=1&subject_id=nobody")).toEqual([]);
  });

  it("come in pages that are the whole", async () => {
    const made: string[] = [];
    for (let at = 0; at < 5; at += 1)
      made.unshift((await stack.api.createSession(agentId, { subject_id: "tenant/paged" })).id);
    const pages = await pagesOf(stack.api, "/sessions", "limit=2&subject_id=tenant%2Fpaged");
    expect(pages.map(({ data }) => idsOf(data))).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
  });
});

describe("lists of a session", patience.test, () => {
  it("have its inputs, runs and events in their order, and pages are the whole", async () => {
    const { id } = await stack.api.createSession(agentId);
    const inputs = [];
    for (const text of ["one", "two", askForCustomer]) {
      inputs.push(await stack.api.sendInput(id, text));
      await stack.api.until(id, text === askForCustomer ? isWaiting : isIdle);
    }
    const queued = await stack.api.sendInput(id, "three");
    const runs = inputs.map(({ run_id }) => String(run_id));
    const { last_event_sequence: last, active_run_id: active } = await stack.api.session(id);
    expect(active).toBe(runs[2]);
    for (const limit of [1, 3, 100]) {
      expect(idsOf(await listOf(stack.api, `/sessions/${id}/inputs`, `limit=${limit}`))).toEqual(
        idsOf([...inputs, queued]),
      );
      expect(idsOf(await listOf(stack.api, `/sessions/${id}/runs`, `limit=${limit}`))).toEqual(runs);
      const events = await listOf(stack.api, `/sessions/${id}/events`, `limit=${Math.min(100, limit * 5)}`);
      expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
    }
    const statuses = (await listOf(stack.api, `/sessions/${id}/runs`)).map(({ status }) => status);
    expect(statuses).toEqual(["completed", "completed", "waiting_for_tools"]);
    const withStatus = async (status: string) =>
      idsOf(await listOf(stack.api, `/sessions/${id}/inputs`, `limit=2&status=${status}`));
    expect(await withStatus("applied")).toEqual(idsOf(inputs));
    expect(await withStatus("accepted")).toEqual([queued.id]);
    expect(await withStatus("cancelled")).toEqual([]);
  });

  it("take a cursor whose records have another status by now", async () => {
    const { id, call, run } = await waiting();
    const queued: string[] = [];
    for (const text of ["one", "two", "three", "four"]) queued.push((await stack.api.sendInput(id, text)).id);
    const path = `/sessions/${id}/inputs`;
    const first = await pageOf(stack.api, path, "limit=2&status=accepted");
    expect(idsOf(first.data)).toEqual(queued.slice(0, 2));
    const results = [{ call_id: call, success: true, output: null }];
    await stack.api.send("POST", `/sessions/${id}/tool-results`, { run_id: run, results });
    await stack.api.until(id, (now) => isIdle(now) && now.pending_input_count === 0);
    const next = await pageOf(stack.api, path, "limit=2&status=accepted", String(first.next_cursor));
    expect(next).toEqual({ data: [], next_cursor: null });
    const applied = idsOf(await listOf(stack.api, path, "limit=2&status=applied"));
    expect(applied.slice(1)).toEqual(queued);
  });

  it("end at a full queue: what is sent then is refused for now, and stored nowhere", async () => {
    const { id } = await waiting();
    const most = 90;
    for (let at = 0; at < most; at += 1) await stack.api.sendInput(id, `input ${at}`);
    const before = await stack.api.session(id);
    expect(before.pending_input_count).toBe(most);
    const received = await exchange(stack.api.baseUrl, {
      method: "POST",
      path: `/sessions/${id}/inputs`,
      headers: { ...asJson, ...bearer(stack.api.key) },
      body: JSON.stringify({ mode: "queue", content: [{ type: "text", text: "one too many" }] }),
    });
    expect(refusalOf(received)).toEqual({ status: 429, code: "rate_limited" });
    expect(Number(received.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await stack.api.session(id)).toEqual(before);
    const pages = await pagesOf(stack.api, `/sessions/${id}/inputs`, "limit=40&status=accepted");
    expect(pages.map(({ data }) => data.length)).toEqual([40, 40, 10]);
  });
});

describe("lists of two projects", patience.test, () => {
  it("have nothing in common, not even of one subject", async () => {
    const theirs = await stack.other.createAgent(agentConfig((await stack.other.createKey()).id));
    const subject = { subject_id: "tenant/shared" };
    const sessions = [
      await stack.api.createSession(agentId, subject),
      await stack.other.createSession(theirs.id, subject),
    ];
    for (const [path, query] of [
      ["/model-api-keys", "limit=100"],
      ["/agents", "limit=100"],
      ["/sessions", "limit=100"],
    ] as const) {
      const [ours, others] = await Promise.all([
        listOf(stack.api, path, query),
        listOf(stack.other, path, query),
      ]);
      expect(ours.length).toBeGreaterThan(0);
      expect(others.length).toBeGreaterThan(0);
      expect(idsOf(ours).filter((id) => idsOf(others).includes(id))).toEqual([]);
    }
    for (const [at, api] of [stack.api, stack.other].entries())
      expect(idsOf(await listOf(api, "/sessions", "limit=100&subject_id=tenant%2Fshared"))).toEqual([
        sessions[at]?.id,
      ]);
  });
});

/** A session whose run waits for a call's result. */
async function waiting() {
  const { id } = await stack.api.createSession(agentId, {
    input: { mode: "queue", content: [{ type: "text", text: askForCustomer }] },
  });
  const [call] = (await stack.api.until(id, isWaiting)).pending_tool_calls;
  if (call === undefined) throw new Error(`${customerTool.name} was not called`);
  return { id, call: call.id, run: call.run_id };
}
