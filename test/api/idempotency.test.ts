import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type OperationId, routes } from "../../contract/routes.ts";
import { type Backend, backend } from "../support/api.ts";
import { asJson, bearer, exchange, type Received, refusalOf } from "../support/http.ts";
import { startLaptop } from "../support/laptop.ts";
import { idsOf, listOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { type Target, target } from "../support/target.ts";
import { agentConfig } from "./refusals/world.ts";

type World = { readonly keyId: string; readonly agentId: string; readonly sessionId: string };

let stack: Target;
let world: World;
let keys = 0;

const freshKey = () => `key-${++keys}`;

async function createWorld(api: Backend): Promise<World> {
  const keyId = (await api.createKey()).id;
  const agentId = (await api.createAgent(agentConfig(keyId, { tools: [] }))).id;
  return { keyId, agentId, sessionId: (await api.createSession(agentId)).id };
}

beforeAll(async () => {
  stack = await target();
  world = await createWorld(stack.api);
}, patience.hook);
afterAll(() => stack?.close());

const post = (path: string, body: unknown, key: string | null, api: Backend = stack.api): Promise<Received> =>
  exchange(api.baseUrl, {
    method: "POST",
    path,
    headers: { ...bearer(api.key), ...asJson, ...(key === null ? {} : { "idempotency-key": key }) },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const idOf = ({ text }: Received): string => z.object({ id: z.string() }).parse(JSON.parse(text)).id;

type Creation = {
  readonly path: (world: World) => string;
  readonly body: (world: World, name: string) => object;
  readonly status: number;
  /** How many there are of what it makes. */
  readonly count: (world: World) => Promise<number>;
};

const config = ({ keyId }: World, instructions: string) => ({
  ...agentConfig(keyId, { tools: [] }),
  instructions,
});
const listed = async (path: string) => (await listOf(stack.api, path)).length;

const creations: { readonly [Id in OperationId]?: Creation } = {
  post_model_api_keys: {
    path: () => "/model-api-keys",
    body: (_, name) => ({ name: name.slice(0, 40), provider: "openai", key: "sk-test-0123456789abcdef" }),
    status: 201,
    count: () => listed("/model-api-keys"),
  },
  post_agents: {
    path: () => "/agents",
    body: (w, name) => ({ name: name.slice(0, 40), config: config(w, name) }),
    status: 201,
    count: () => listed("/agents"),
  },
  post_agents_agent_id_versions: {
    path: (w) => `/agents/${w.agentId}/versions`,
    body: (w, name) => ({ config: config(w, name) }),
    status: 201,
    count: async (w) => {
      const { body } = await stack.api.send("GET", `/agents/${w.agentId}`);
      return z.object({ latest_version: z.int() }).parse(body).latest_version;
    },
  },
  post_sessions: {
    path: () => "/sessions",
    body: (w, name) => ({
      agent: { id: w.agentId },
      subject_id: "tenant/once",
      environment: { type: "none" },
      title: name.slice(0, 40),
    }),
    status: 201,
    count: () => listed("/sessions"),
  },
  post_sessions_session_id_inputs: {
    path: (w) => `/sessions/${w.sessionId}/inputs`,
    body: (_, name) => ({ mode: "queue", content: [{ type: "text", text: name }] }),
    status: 202,
    count: (w) => listed(`/sessions/${w.sessionId}/inputs`),
  },
};
const table = Object.entries(creations).map(([operation, creation]) => ({ operation, ...creation }));

it("is tested on every served operation that takes a key", () => {
  const notServed = ["post_connections", "post_files"];
  const taking = Object.values(routes).flatMap((route) =>
    "headers" in route && "idempotency-key" in route.headers.shape ? [route.operationId as string] : [],
  );
  expect(taking.filter((id) => !notServed.includes(id)).sort()).toEqual(Object.keys(creations).sort());
});

describe.each(table)("a key on $operation", patience.test, ({ path, body, status, count }) => {
  it("gives the same body the same answer, byte for byte, and creates once", async () => {
    const key = freshKey();
    const first = await post(path(world), body(world, "the same"), key);
    expect(first.status).toBe(status);
    const after = await count(world);
    for (let again = 0; again < 2; again += 1) {
      const { status: code, text } = await post(path(world), body(world, "the same"), key);
      expect([code, text]).toEqual([first.status, first.text]);
    }
    expect(await count(world)).toBe(after);
  });

  it("gives an answer that is too large for an item byte for byte", async () => {
    const key = freshKey();
    const large = "é".repeat(20_000);
    const first = await post(path(world), body(world, large), key);
    expect(first.status).toBe(status);
    expect((await post(path(world), body(world, large), key)).text).toBe(first.text);
  });

  it("creates once when fifty ask at once, and answers all of them alike", async () => {
    const key = freshKey();
    const before = await count(world);
    const all = await Promise.all(
      Array.from({ length: 50 }, () => post(path(world), body(world, "at once"), key)),
    );
    expect(all.map((one) => one.status)).toEqual(all.map(() => status));
    expect(new Set(all.map(({ text }) => text)).size).toBe(1);
    expect(await count(world)).toBe(before + 1);
  });

  it("refuses another body, however alike, and creates nothing", async () => {
    const key = freshKey();
    await post(path(world), body(world, "one"), key);
    const before = await count(world);
    for (const other of ["two", "one "]) {
      expect(refusalOf(await post(path(world), body(world, other), key))).toEqual({
        status: 409,
        code: "idempotency_conflict",
      });
    }
    expect(await count(world)).toBe(before);
  });

  it("lets one of several bodies win that are sent at once", async () => {
    const key = freshKey();
    const before = await count(world);
    const all = await Promise.all(
      Array.from({ length: 12 }, (_, n) => post(path(world), body(world, `body ${n % 3}`), key)),
    );
    const won = all.filter((one) => one.status === status);
    expect(new Set(won.map(({ text }) => text)).size).toBe(1);
    expect(won).toHaveLength(4);
    for (const one of all.filter((other) => other.status !== status)) {
      expect(refusalOf(one)).toEqual({ status: 409, code: "idempotency_conflict" });
    }
    expect(await count(world)).toBe(before + 1);
  });

  it("does not mind the order of keys, nor spaces", async () => {
    const key = freshKey();
    const sent = body(world, "in order");
    const first = await post(path(world), sent, key);
    const reversed = Object.fromEntries(Object.entries(sent).reverse());
    const again = await post(path(world), JSON.stringify(reversed, null, 2), key);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
  });

  it("is free again after an error", async () => {
    const key = freshKey();
    const refused = await post(path(world), {}, key);
    expect(refusalOf(refused).code).toBe("invalid_request");
    expect((await post(path(world), body(world, "after an error"), key)).status).toBe(status);
  });

  it("that is not one is refused", async () => {
    for (const key of ["two words", "k".repeat(256), ""]) {
      const refused = await post(path(world), body(world, "bad key"), key);
      expect(refusalOf(refused)).toEqual({ status: 400, code: "invalid_parameter" });
    }
  });
});

describe("a key", patience.test, () => {
  it("is another one on another operation and another path", async () => {
    const key = freshKey();
    for (const { path, body, status } of table) {
      expect((await post(path(world), body(world, "everywhere"), key)).status).toBe(status);
    }
    const other = { ...world, sessionId: (await stack.api.createSession(world.agentId)).id };
    const { path, body } = creations.post_sessions_session_id_inputs as Creation;
    const first = await post(path(world), body(world, "everywhere"), key);
    const elsewhere = await post(path(other), body(other, "elsewhere"), key);
    expect([first.status, elsewhere.status]).toEqual([202, 202]);
    expect(idOf(elsewhere)).not.toBe(idOf(first));
  });

  it("is another one in another project, where a session of this one stays unseen", async () => {
    const key = freshKey();
    const body = { name: "mine", provider: "openai", key: "sk-test-0123456789abcdef" };
    const mine = await post("/model-api-keys", body, key);
    const theirs = await post("/model-api-keys", { ...body, name: "theirs" }, key, stack.other);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    const input = { mode: "queue", content: [{ type: "text", text: "mine" }] };
    const path = `/sessions/${world.sessionId}/inputs`;
    expect((await post(path, input, key)).status).toBe(202);
    expect(refusalOf(await post(path, input, key, stack.other)).code).toBe("not_found");
  });

  it("tells keys of a body apart that a parser may lose, and numbers by value", async () => {
    const key = freshKey();
    const agent = (schema: string) =>
      `{"name":"a","config":{"model":"openai/gpt-6.1-sol","model_api_key_id":"${world.keyId}","instructions":"x",` +
      `"tools":[{"type":"function","name":"f","description":"d","parameters":{"type":"object","default":${schema}}}]}}`;
    const first = await post("/agents", agent('{"a":1,"__proto__":{"b":2}}'), key);
    expect(first.status).toBe(201);
    for (const other of ['{"a":1}', '{"a":1,"__proto__":{"b":3}}', '{"a":"1","__proto__":{"b":2}}']) {
      expect(refusalOf(await post("/agents", agent(other), key)).code).toBe("idempotency_conflict");
    }
    const again = await post("/agents", agent('{"__proto__":{"b":2},"a":1.0}'), key);
    expect(again.text).toBe(first.text);
  });

  it("gives the first answer whatever has happened to what was created", async () => {
    const key = freshKey();
    const agent = { name: "as it was", config: config(world, "x") };
    const created = await post("/agents", agent, key);
    const path = `/agents/${idOf(created)}`;
    const version = await post(`${path}/versions`, { config: config(world, "y") }, key);
    await stack.api.send("PATCH", path, { name: "renamed" });
    expect((await post("/agents", agent, key)).text).toBe(created.text);
    await stack.api.send("DELETE", path);
    expect((await post("/agents", agent, key)).text).toBe(created.text);
    expect((await post(`${path}/versions`, { config: config(world, "y") }, key)).text).toBe(version.text);

    const first = { content: [{ type: "text", text: "Hello" }], mode: "queue" };
    const session = {
      agent: { id: world.agentId },
      subject_id: "t",
      environment: { type: "none" },
      input: first,
    };
    const opened = await post("/sessions", session, key);
    await stack.api.until(idOf(opened), ({ active_run_id: run }) => run === null);
    const inputs = `/sessions/${idOf(opened)}/inputs`;
    const input = await post(inputs, first, key);
    await stack.api.until(idOf(opened), ({ active_run_id: run }) => run === null);
    expect((await post(inputs, first, key)).text).toBe(input.text);
    expect((await post("/sessions", session, key)).text).toBe(opened.text);
    expect(idsOf(await listOf(stack.api, inputs))).toHaveLength(2);
  });

  it("finds its answer also when the request would be refused by now", async () => {
    const key = freshKey();
    const secret = { name: "short-lived", provider: "openai", key: "sk-test-0123456789abcdef" };
    const keyId = idOf(await post("/model-api-keys", secret, null));
    const agent = { name: "orphan", config: { ...config(world, "x"), model_api_key_id: keyId } };
    const created = await post("/agents", agent, key);
    await stack.api.send("DELETE", `/model-api-keys/${keyId}`);
    expect(refusalOf(await post("/agents", agent, null)).code).toBe("not_found");
    const again = await post("/agents", agent, key);
    expect([again.status, again.text]).toEqual([201, created.text]);
  });
});

it("creates once and answers alike across kills of the stack", { timeout: 120_000 }, async () => {
  const data = await mkdtemp(join(tmpdir(), "stepyard-once-"));
  let laptop = await startLaptop({ data });
  let api = backend(laptop.url);
  try {
    const { agentId, sessionId } = await createWorld(api);
    const session = { agent: { id: agentId }, subject_id: "killed", environment: { type: "none" } };
    const input = (n: number) => ({ mode: "queue", content: [{ type: "text", text: `input ${n}` }] });
    const requests = Array.from({ length: 16 }, (_, n) =>
      n % 2 === 0
        ? { path: "/sessions", body: { ...session, title: `session ${n}` } }
        : { path: `/sessions/${sessionId}/inputs`, body: input(n) },
    );
    const sendAll = () =>
      Promise.allSettled(requests.map(({ path, body }, n) => post(path, body, `killed-${n}`, api)));
    const answers = requests.map(() => new Set<string>());
    const note = (settled: Awaited<ReturnType<typeof sendAll>>) => {
      for (const [n, one] of settled.entries()) {
        if (one.status === "fulfilled" && one.value.status < 300) answers[n]?.add(one.value.text);
      }
    };
    for (const killAfterMs of [15, 40]) {
      const sending = sendAll();
      await new Promise((resolve) => setTimeout(resolve, killAfterMs));
      await laptop.kill();
      note(await sending);
      laptop = await startLaptop({ data });
      api = backend(laptop.url);
    }
    note(await sendAll());
    expect(answers.map(({ size }) => size)).toEqual(requests.map(() => 1));
    expect(await listOf(api, "/sessions", "limit=100&subject_id=killed")).toHaveLength(8);
    expect(await listOf(api, `/sessions/${sessionId}/inputs`)).toHaveLength(8);
  } finally {
    await laptop.kill();
    await rm(data, { recursive: true, force: true });
  }
});
