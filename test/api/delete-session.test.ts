import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, codeOf, isIdle, isWaiting } from "../support/api.ts";
import { idsOf, listOf, pageOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { eventsOf, openStream } from "../support/sse.ts";
import { stored } from "../support/storage.ts";
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

const remove = (id: string, by: Backend = api) => by.send("DELETE", `/sessions/${id}`);
const text = (content: string) => ({ mode: "queue", content: [{ type: "text", text: content }] });
const eventually = async (wanted: () => boolean, withinMs: number): Promise<void> => {
  const deadline = Date.now() + withinMs;
  while (!wanted()) {
    if (Date.now() > deadline) throw new Error(`it did not come within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** A session that has done everything that leaves something behind, and ids of what it has. */
async function lived(rest: object = {}) {
  const { id } = await api.createSession(agentId, { subject_id: "tenant/gone", ...rest });
  const input = await api.sendInput(id, `${"ü".repeat(9_000)} ${askForCustomer}`);
  const [call] = (await api.until(id, isWaiting)).pending_tool_calls;
  if (call === undefined) throw new Error("the run made no call");
  const results = [{ call_id: call.id, success: true, output: { name: "a".repeat(9_000) } }];
  const submission = { run_id: call.run_id, results };
  await api.send("POST", `/sessions/${id}/tool-results`, submission);
  await api.until(id, isIdle);
  await api.send("POST", `/sessions/${id}/inputs`, text("kept"), { "idempotency-key": "kept" });
  await api.until(id, isIdle);
  return { id, input: input.id, run: call.run_id, submission };
}

/** Every request about a session and what is in it. */
const requests = ({ id, input, run, submission }: Awaited<ReturnType<typeof lived>>) =>
  [
    ["GET", `/sessions/${id}`],
    ["DELETE", `/sessions/${id}`],
    ["GET", `/sessions/${id}/events`],
    ["GET", `/sessions/${id}/events/stream`],
    ["GET", `/sessions/${id}/inputs`],
    ["GET", `/sessions/${id}/inputs?status=applied`],
    ["GET", `/sessions/${id}/inputs/${input}`],
    ["GET", `/sessions/${id}/runs`],
    ["GET", `/sessions/${id}/runs/${run}`],
    ["POST", `/sessions/${id}/inputs`, text("again")],
    ["POST", `/sessions/${id}/inputs`, { ...text("again"), reasoning_effort: "off" }],
    ["POST", `/sessions/${id}/inputs`, { mode: "steer", content: [{ type: "file", file_id: "file_1" }] }],
    ["POST", `/sessions/${id}/tool-results`, submission],
  ] as const;

const canLook = laptopCan("what a deletion leaves", "its table cannot be looked into");

describe("a session that is deleted", patience.test, () => {
  it("is answered with 204 and found by no request any more", async () => {
    const session = await lived();
    const { status, body } = await remove(session.id);
    expect([status, body]).toEqual([204, null]);
    for (const [method, path, sent] of requests(session)) {
      const answer = await api.send(method, path, sent);
      expect([method, path, answer.status, codeOf(answer)]).toEqual([method, path, 404, "not_found"]);
    }
  });

  it.runIf(canLook)("leaves nothing but a tombstone with its id", async () => {
    const other = await lived();
    const untouched = await stored(laptopOf(stack), other.id);
    const { id } = await lived();
    expect((await stored(laptopOf(stack), id)).some((key) => key.startsWith(`sessions/${id}/`))).toBe(true);
    await remove(id);
    expect(await stored(laptopOf(stack), id)).toEqual([`SES#${id} DELETED`]);
    expect(await stored(laptopOf(stack), other.id)).toEqual(untouched);
    expect(await api.session(other.id)).toMatchObject({ id: other.id });
  });

  it("answers no input that it once had a key for, and the key of its creation still", async () => {
    const creation = { agent: { id: agentId }, subject_id: "tenant/gone", environment: { type: "none" } };
    const key = { "idempotency-key": "creation of the deleted".replaceAll(" ", "-") };
    const created = await api.send("POST", "/sessions", creation, key);
    const { id } = created.body as { id: string };
    const send = () => api.send("POST", `/sessions/${id}/inputs`, text("once"), key);
    expect((await send()).status).toBe(202);
    await api.until(id, isIdle);
    await remove(id);
    expect(codeOf(await send())).toBe("not_found");
    const again = await api.send("POST", "/sessions", creation, key);
    expect([again.status, again.body]).toEqual([201, created.body]);
  });

  it("is in no list, and cursors that point at it go on", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.unshift((await api.createSession(agentId, { subject_id: "tenant/listed" })).id);
    }
    for (const path of ["/sessions?subject_id=tenant%2Flisted", "/sessions"]) {
      const first = await pageOf(
        api,
        "/sessions",
        `limit=2${path.slice("/sessions".length).replace("?", "&")}`,
      );
      expect(idsOf(first.data)).toEqual(ids.slice(0, 2));
      await remove(String(ids[1]));
      const query = `limit=2${path.slice("/sessions".length).replace("?", "&")}`;
      const rest = idsOf(await listOf(api, "/sessions", query, first.next_cursor));
      expect(rest.slice(0, ids.length - 2)).toEqual(ids.slice(2));
      ids.splice(1, 1);
      expect(idsOf(await listOf(api, "/sessions", query)).slice(0, ids.length)).toEqual(ids);
    }
  });

  it.runIf(canLook)("ends its streams at once and without a final event", async () => {
    const { id } = await lived();
    const plain = await openStream(api, id);
    const previewing = await openStream(api, id, { deltas: true });
    await remove(id);
    await eventually(() => plain.ended() !== null && previewing.ended() !== null, 2_000);
    expect([plain.ended(), previewing.ended()]).toEqual(["server", "server"]);
    expect(eventsOf([...plain.frames, ...previewing.frames])).toEqual([]);
  });

  it("is one of two requests' doing", async () => {
    const { id } = await lived();
    const answers = await Promise.all([remove(id), remove(id), remove(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
  });
});

describe("a session is not deleted", patience.test, () => {
  it("while a run is active, which goes on as if nothing had been", async () => {
    const { id } = await api.createSession(agentId);
    await api.sendInput(id, askForCustomer);
    const before = await api.until(id, isWaiting);
    const refused = await remove(id);
    expect([refused.status, codeOf(refused)]).toEqual([409, "session_active"]);
    expect(await api.session(id)).toEqual(before);
  });

  it("by another project, nor where there is none", async () => {
    const { id } = await api.createSession(agentId);
    for (const answer of [await remove(id, stack.other), await remove("ses_none")]) {
      expect([answer.status, codeOf(answer)]).toEqual([404, "not_found"]);
    }
    expect((await api.session(id)).id).toBe(id);
  });
});

it.runIf(canLook).each([0, 5, 20])(
  "an input that meets a deletion is accepted before it or not found (after %i ms)",
  patience.test,
  async (afterMs) => {
    const { id } = await api.createSession(agentId);
    // Where a paused session takes inputs, no run begins.
    await api.send("POST", `/sessions/${id}/pause`);
    const sending = Array.from({ length: 20 }, (_, n) =>
      api.send("POST", `/sessions/${id}/inputs`, text(`input ${n}`), { "idempotency-key": `input-${n}` }),
    );
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const deleted = await remove(id);
    for (const { status, body } of await Promise.all(sending))
      expect([202, 404], String(body)).toContain(status);
    expect(deleted.status).toBe(204);
    expect(await stored(laptopOf(stack), id)).toEqual([`SES#${id} DELETED`]);
  },
);
