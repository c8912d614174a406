import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Agent, AgentVersion } from "../../contract/schemas/agents.ts";
import { customerTool, isIdle, isWaiting } from "../support/api.ts";
import { idsOf, listOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { onLaptop, type Target, target } from "../support/target.ts";
import { agentConfig, askForCustomer } from "./refusals/world.ts";

let stack: Target;
let keyId: string;

beforeAll(async () => {
  stack = await target();
  keyId = (await stack.api.createKey()).id;
}, patience.hook);
afterAll(() => stack?.close());

const createAgent = (rest: object = {}) => stack.api.createAgent(agentConfig(keyId, rest));
const createVersion = (id: string, rest: object = {}) =>
  stack.api.expectOk(AgentVersion, 201, "POST", `/agents/${id}/versions`, {
    config: agentConfig(keyId, rest),
  });
const getVersion = (id: string, version: number) =>
  stack.api.expectOk(AgentVersion, 200, "GET", `/agents/${id}/versions/${version}`);
const getAgent = (id: string) => stack.api.expectOk(Agent, 200, "GET", `/agents/${id}`);

async function statusOf(method: string, path: string, body?: unknown): Promise<number> {
  return (await stack.api.send(method, path, body)).status;
}

const soundParameters: readonly object[] = [
  { $defs: { a: { type: "string" } }, properties: { x: { $ref: "#/$defs/a" } } },
  { $defs: { "a/b%": {} }, properties: { x: { $ref: "#/$defs/a~1b%25" } } },
  { properties: { next: { $ref: "#" } } },
  { $defs: { a: { $anchor: "here" } }, properties: { x: { $ref: "#here" } } },
  // An $id is allowed and never fetched.
  { $id: "https://example.com/schema", properties: { x: { $ref: "#" } } },
  { $defs: { a: { $id: "inner", $defs: { b: {} }, $ref: "#/$defs/b" } } },
  { $schema: "https://json-schema.org/draft/2020-12/schema" },
  // Where no schema stands, a keyword is data or a name.
  {
    properties: { x: { const: { $ref: "https://example.com" } } },
    default: { $ref: 1 },
    examples: [{ $ref: 1 }],
  },
  { properties: { $ref: { type: "string" }, $id: {}, pattern: { enum: ["("] } } },
  { properties: { x: { "x-secret": true, format: "no-such-format" } } },
  { patternProperties: { "^\\p{Lu}": {} }, properties: { x: { pattern: "^[\\w.-]+$" } } },
  { properties: { x: true, y: false } },
];

describe("an agent", patience.test, () => {
  it("keeps a configuration as it was given, strange keys and all", async () => {
    const parameters = {
      type: "object",
      properties: {
        ...{ constructor: { const: { $ref: "data" } }, $ref: { type: "number" }, toString: {} },
        ["__proto__"]: { type: "string" },
      },
      required: ["constructor"],
      title: "ü 😀 \\",
      "x-other": [1e-7, 0.1, { a: null }],
    };
    const config = agentConfig(keyId, { tools: [{ ...customerTool, parameters }, "web_search"] });
    const { id } = await stack.api.createAgent(config);
    const kept = await getVersion(id, 1);
    expect(JSON.stringify(kept.config)).toBe(JSON.stringify(config));
  });

  it("takes functions with every kind of schema that stays within itself", async () => {
    const tools = soundParameters.map((rest, at) => ({
      ...customerTool,
      name: `function_${at}`,
      parameters: { type: "object", ...rest },
    }));
    const { id } = await createAgent({ tools });
    expect((await getVersion(id, 1)).config.tools).toEqual(tools);
  });

  it("has no tools unless some are given", async () => {
    const { id } = await createAgent({ tools: undefined });
    expect((await getVersion(id, 1)).config.tools).toEqual([]);
  });

  it("gets a new name and nothing else new", async () => {
    const agent = await createAgent();
    const renamed = await stack.api.expectOk(Agent, 200, "PATCH", `/agents/${agent.id}`, { name: "Renamed" });
    expect(renamed).toEqual({ ...agent, name: "Renamed" });
    expect(await getAgent(agent.id)).toEqual(renamed);
  });

  it("numbers versions that are made at once, each its own", async () => {
    const agent = await createAgent();
    const instructions = Array.from({ length: 8 }, (_, at) => `version ${at}`);
    const made = await Promise.all(
      instructions.map((text) => createVersion(agent.id, { instructions: text, tools: [] })),
    );
    expect(made.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(await getAgent(agent.id)).toEqual({ ...agent, latest_version: 9 });
    for (const version of made) expect(await getVersion(agent.id, version.version)).toEqual(version);
  });

  it("gives a session the version it asks for, or the newest, for good", async () => {
    const { id } = await createAgent({ instructions: "first", tools: [] });
    await createVersion(id, { instructions: "second", tools: [] });
    const older = await stack.api.createSession(id, { agent: { id, version: 1 } });
    const newer = await stack.api.createSession(id);
    await createVersion(id, { instructions: "third", tools: [] });
    expect((await stack.api.session(older.id)).agent_config.instructions).toBe("first");
    expect(await stack.api.session(newer.id)).toEqual(newer);
    expect(newer.agent).toEqual({ id, version: 2 });
    expect(newer.agent_config.instructions).toBe("second");
  });

  it("is gone once deleted, with its versions, and its sessions go on", async () => {
    const { id } = await createAgent();
    const session = await stack.api.createSession(id);
    await stack.api.sendInput(session.id, askForCustomer);
    const waiting = await stack.api.until(session.id, isWaiting);
    const [call] = waiting.pending_tool_calls;
    expect(await statusOf("DELETE", `/agents/${id}`)).toBe(204);

    expect(await statusOf("DELETE", `/agents/${id}`)).toBe(404);
    expect(await statusOf("GET", `/agents/${id}`)).toBe(404);
    expect(await statusOf("GET", `/agents/${id}/versions/1`)).toBe(404);
    expect(idsOf(await listOf(stack.api, "/agents"))).not.toContain(id);
    const body = { agent: { id, version: 1 }, subject_id: "a", environment: { type: "none" } };
    expect(await statusOf("POST", "/sessions", body)).toBe(404);

    expect(await stack.api.session(session.id)).toEqual(waiting);
    const results = [{ call_id: call?.id, success: true, output: "Ada" }];
    await stack.api.send("POST", `/sessions/${session.id}/tool-results`, { run_id: call?.run_id, results });
    await stack.api.until(session.id, isIdle);
    expect((await stack.api.run(session.id, String(call?.run_id))).status).toBe("completed");
    const { run_id } = await stack.api.sendInput(session.id, "Are you still there?");
    await stack.api.until(session.id, isIdle);
    expect((await stack.api.run(session.id, String(run_id))).status).toBe("completed");
  });
});

describe("a deleted model key", patience.test, () => {
  it("fails a run that selects it, before any request to the model", async () => {
    const key = await stack.api.createKey("anthropic");
    const config = agentConfig(key.id, { model: "anthropic/claude-sonnet-5-5" });
    const agent = await stack.api.createAgent(config);
    const session = await stack.api.createSession(agent.id);
    expect(await statusOf("DELETE", `/model-api-keys/${key.id}`)).toBe(204);
    expect(await statusOf("DELETE", `/model-api-keys/${key.id}`)).toBe(404);
    const asked = stack.model?.requests.length;
    const { run_id } = await stack.api.sendInput(session.id, "Hello");
    const paused = await stack.api.until(session.id, ({ status }) => status === "paused");
    const run = await stack.api.run(session.id, String(run_id));
    expect(run).toMatchObject({
      status: "failed",
      messages: [],
      error: { code: "model_api_key_unavailable" },
    });
    expect(paused.active_run_id).toBeNull();
    if (onLaptop) expect(stack.model?.requests.length).toBe(asked);
    // Nor can a new version select it.
    expect(await statusOf("POST", `/agents/${agent.id}/versions`, { config })).toBe(404);
  });

  it("fails a run that is under way at its next request to the model", async () => {
    const key = await stack.api.createKey();
    const agent = await stack.api.createAgent(agentConfig(key.id));
    const session = await stack.api.createSession(agent.id);
    await stack.api.sendInput(session.id, askForCustomer);
    const [call] = (await stack.api.until(session.id, isWaiting)).pending_tool_calls;
    await stack.api.send("DELETE", `/model-api-keys/${key.id}`);
    const asked = stack.model?.requests.length;
    const results = [{ call_id: call?.id, success: true, output: null }];
    await stack.api.send("POST", `/sessions/${session.id}/tool-results`, { run_id: call?.run_id, results });
    await stack.api.until(session.id, isIdle);
    const run = await stack.api.run(session.id, String(call?.run_id));
    expect(run).toMatchObject({ status: "failed", error: { code: "model_api_key_unavailable" } });
    if (onLaptop) expect(stack.model?.requests.length).toBe(asked);
  });
});

describe("an input without an effort", patience.test, () => {
  it.each([
    ["openai/gpt-6.1-sol", "medium"],
    ["openai/gpt-4", "off"],
    ["openai/gpt-5-pro", "high"],
    ["anthropic/claude-sonnet-5-5", "medium"],
    ["anthropic/claude-haiku-4-5", "medium"],
  ])("gets %s's own, %s, in its answer and in events", async (model, effort) => {
    const provider = model.startsWith("openai/") ? "openai" : "anthropic";
    const key = provider === "openai" ? keyId : (await stack.api.createKey(provider)).id;
    const agent = await stack.api.createAgent(agentConfig(key, { model, tools: [] }));
    const session = await stack.api.createSession(agent.id, {
      input: { mode: "steer", content: [{ type: "text", text: "Hello" }] },
    });
    await stack.api.until(session.id, isIdle);
    const sent = await stack.api.sendInput(session.id, "Hello");
    expect(sent.reasoning_effort).toBe(effort);
    await stack.api.until(session.id, isIdle);
    const events = await stack.api.events(session.id);
    const told = events.flatMap(({ data }) => ("input" in data ? [data.input.reasoning_effort] : []));
    expect(told).toEqual([effort, effort, effort, effort]);
  });

  it("gets it after one with an effort, too", async () => {
    const { id: agentId } = await createAgent();
    const { id } = await stack.api.createSession(agentId);
    const efforts = ["high", undefined, "low", "max", undefined];
    for (const reasoning_effort of efforts) {
      const sent = await stack.api.sendInput(id, "Hello", { reasoning_effort });
      expect(sent.reasoning_effort).toBe(reasoning_effort ?? "medium");
      await stack.api.until(id, isIdle);
    }
    const listed = await listOf(stack.api, `/sessions/${id}/inputs`);
    expect(listed.map((input) => input["reasoning_effort"])).toEqual(
      efforts.map((effort) => effort ?? "medium"),
    );
  });
});
