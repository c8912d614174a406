import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { configBytes, largestAnswer, recordBytes } from "../../contract/answer-size.ts";
import { Agent } from "../../contract/schemas/agents.ts";
import { Input } from "../../contract/schemas/inputs.ts";
import { isWaiting } from "../support/api.ts";
import { asJson, bearer, exchange, type Received, refusalOf } from "../support/http.ts";
import { idsOf, listOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { type Target, target } from "../support/target.ts";
import { agentConfig, askForCustomer } from "./refusals/world.ts";

const MB = 1_000_000;
let stack: Target;
let keyId: string;
let agentId: string;

beforeAll(async () => {
  stack = await target();
  keyId = (await stack.api.createKey()).id;
  agentId = (await stack.api.createAgent(agentConfig(keyId))).id;
}, patience.hook);
afterAll(() => stack?.close());

const send = (method: string, path: string, body?: unknown): Promise<Received> =>
  exchange(stack.api.baseUrl, {
    method,
    path,
    headers: { ...bearer(stack.api.key), ...(body === undefined ? {} : asJson) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** What Lambda counts of an answer. */
const answerBytes = ({ status, headers, text }: Received): number =>
  Buffer.byteLength(
    JSON.stringify({
      statusCode: status,
      headers: { "content-type": "application/json", "x-request-id": headers.get("x-request-id") },
      body: text,
    }),
  );

const Page = z.object({
  data: z.array(z.object({ id: z.string() })),
  next_cursor: z.string().nullable(),
});

/** Every page of a list. None is more than an answer carries. */
async function pages(path: string): Promise<string[][]> {
  const all: string[][] = [];
  for (let query: string | null = "?limit=100"; query !== null; ) {
    const received = await send("GET", `${path}${query}`);
    expect(received.status, received.text.slice(0, 300)).toBe(200);
    expect(answerBytes(received)).toBeLessThanOrEqual(largestAnswer);
    const { data, next_cursor } = Page.parse(JSON.parse(received.text));
    all.push(idsOf(data));
    query = next_cursor === null ? null : `?limit=100&cursor=${next_cursor}`;
  }
  return all;
}

const content = (text: string) => ({ mode: "queue", content: [{ type: "text", text }] });

/** A session whose run waits, so that inputs stay in its queue. */
async function busy(): Promise<string> {
  const { id } = await stack.api.createSession(agentId);
  await stack.api.sendInput(id, askForCustomer);
  await stack.api.until(id, isWaiting);
  return id;
}

describe("a page", patience.test, () => {
  it("of inputs and of events ends where an answer does, and the next one goes on there", async () => {
    const id = await busy();
    const sent: string[] = [];
    // Quotes weigh twice as much in an answer as in the body.
    for (const text of [
      "x".repeat(2 * MB),
      '"'.repeat(0.9 * MB),
      "ü".repeat(1.2 * MB),
      "y",
      "z".repeat(3 * MB),
    ]) {
      const received = await send("POST", `/sessions/${id}/inputs`, content(text));
      expect(received.status).toBe(202);
      sent.push(Input.parse(JSON.parse(received.text)).id);
    }
    const inputs = await pages(`/sessions/${id}/inputs`);
    expect(inputs.flat().slice(1)).toEqual(sent);
    expect(inputs.length).toBeGreaterThan(1);
    const events = await pages(`/sessions/${id}/events`);
    expect(events.length).toBeGreaterThan(1);
    const sequences = events.flat().map((event) => Number(event.slice(-10)));
    expect(sequences).toEqual(sequences.map((_, at) => at + 1));
  });

  it("of sessions ends where an answer does", async () => {
    const instructions = "i".repeat(2.9 * MB);
    const large = await stack.api.createAgent(agentConfig(keyId, { instructions, tools: [] }));
    const subject = { subject_id: "tenant/large" };
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(await stack.api.createSession(large.id, subject));
    const listed = await pages("/sessions");
    expect(idsOf(made).filter((id) => listed.flat().includes(id))).toEqual(idsOf(made));
    expect(new Set(listed.flat()).size).toBe(listed.flat().length);
  });
});

describe("what could not be shown again is refused, and nothing of it is stored", patience.test, () => {
  const refusal = { status: 400, code: "request_too_large" };
  /** Quotes: half of what an answer carries in the body, all of it in the answer. */
  const quotes = (bytes: number) => '"'.repeat(Math.ceil(bytes / 4));

  it("an input", async () => {
    const id = await busy();
    const before = await listOf(stack.api, `/sessions/${id}/events`);
    const received = await send("POST", `/sessions/${id}/inputs`, content(quotes(recordBytes)));
    expect(refusalOf(received)).toEqual(refusal);
    expect(await listOf(stack.api, `/sessions/${id}/events`)).toEqual(before);
  });

  it("a session for its input", async () => {
    const subject_id = "tenant/too-large";
    const input = content(quotes(recordBytes));
    const body = { agent: { id: agentId }, subject_id, environment: { type: "none" }, input };
    expect(refusalOf(await send("POST", "/sessions", body))).toEqual(refusal);
    expect(
      await listOf(stack.api, "/sessions", `limit=100&subject_id=${encodeURIComponent(subject_id)}`),
    ).toEqual([]);
  });

  it("an agent and a version of one", async () => {
    const before = await listOf(stack.api, "/agents");
    const config = agentConfig(keyId, { instructions: quotes(configBytes) });
    expect(refusalOf(await send("POST", "/agents", { name: "too large", config }))).toEqual(refusal);
    expect(refusalOf(await send("POST", `/agents/${agentId}/versions`, { config }))).toEqual(refusal);
    expect(await listOf(stack.api, "/agents")).toEqual(before);
    const { text } = await send("GET", `/agents/${agentId}`);
    expect(Agent.parse(JSON.parse(text)).latest_version).toBe(1);
  });

  it("a result, whose call still waits", async () => {
    const id = await busy();
    const [call] = (await stack.api.session(id)).pending_tool_calls;
    const results = (output: unknown) => ({
      run_id: call?.run_id,
      results: [{ call_id: call?.id, success: true, output }],
    });
    const path = `/sessions/${id}/tool-results`;
    expect(refusalOf(await send("POST", path, results(quotes(recordBytes))))).toEqual(refusal);
    expect((await stack.api.session(id)).pending_tool_calls).toHaveLength(1);
    const fits = await send("POST", path, results("r".repeat(4 * MB)));
    expect(fits.status).toBe(200);
    expect(answerBytes(fits)).toBeLessThanOrEqual(largestAnswer);
  });
});
