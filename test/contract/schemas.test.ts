/** Every case is put to the zod schema and to the schema in the API document: they must agree. */
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { openApiDocument } from "../../contract/openapi.ts";
import {
  AgentConfig,
  CreateConnection,
  CreateSession,
  components,
  type EventType,
  Event as SessionEvent,
  ShellArguments,
} from "../../contract/schemas/index.ts";
import { eventCases } from "./cases/events.ts";
import { requestCases } from "./cases/requests.ts";
import { config, platformCall } from "./cases/samples.ts";
import { stateCases } from "./cases/state.ts";

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
// An offset in an answer and a day that no calendar has are beyond what a format checker promises.
const beyondTheDocument = new Set(["a time with an offset", "a day that does not exist"]);

const ajv = new Ajv2020({
  strict: false,
  formats: { "date-time": dateTime, uri: URL.canParse, binary: true },
});
ajv.addSchema(openApiDocument("http://127.0.0.1/v1"), "api");

const byName: Readonly<Record<string, z.ZodType>> = components;

function zodOf(name: string): z.ZodType {
  const schema = byName[name];
  if (schema === undefined) throw new Error(`The contract has no schema ${name}.`);
  return schema;
}

function documentAccepts(name: string, value: unknown): boolean {
  const validate = ajv.getSchema(`api#/components/schemas/${name}`);
  if (validate === undefined) throw new Error(`The document has no schema ${name}.`);
  return validate(value) === true;
}

for (const { schema, accepts, refuses } of [...requestCases, ...stateCases, ...eventCases]) {
  describe(schema, () => {
    it.each(Object.entries(accepts))("accepts %s", (_, value) => {
      expect(zodOf(schema).safeParse(value).error).toBeUndefined();
      expect(documentAccepts(schema, value)).toBe(true);
    });

    it.each(Object.entries(refuses))("refuses %s", (title, value) => {
      expect(zodOf(schema).safeParse(value).success).toBe(false);
      if (!beyondTheDocument.has(title)) expect(documentAccepts(schema, value)).toBe(false);
    });
  });
}

describe("closed objects", () => {
  it("refuses a key named __proto__", () => {
    const value: unknown = JSON.parse('{"run_id":"run_A1","__proto__":{}}');
    expect(zodOf("StopRun").safeParse(value).success).toBe(false);
  });
});

describe("defaults", () => {
  it("gives a session a sandbox without network and no connections", () => {
    const session = CreateSession.parse({ agent: { id: "agt_B1" }, subject_id: "u" });
    expect(session).toEqual({
      agent: { id: "agt_B1" },
      subject_id: "u",
      environment: { type: "sandbox", image: "managed-default", network: { allowed_hosts: [] } },
      connections: [],
    });
  });

  it("fills a sandbox that is named without its fields", () => {
    const { environment } = CreateSession.parse({
      agent: { id: "agt_B1" },
      subject_id: "u",
      environment: { type: "sandbox", network: {} },
    });
    expect(environment).toEqual({
      type: "sandbox",
      image: "managed-default",
      network: { allowed_hosts: [] },
    });
  });

  it("names an inline connection and gives it no headers", () => {
    const { connections } = CreateSession.parse({
      agent: { id: "agt_B1" },
      subject_id: "u",
      connections: [{ url: "https://mcp.example.net", allowed_tools: ["a"] }],
    });
    expect(connections).toEqual([
      { url: "https://mcp.example.net", allowed_tools: ["a"], name: "MCP tools", headers: {} },
    ]);
  });

  it("gives an agent no tools and a shell call thirty seconds", () => {
    const { tools: _, ...withoutTools } = config;
    expect(AgentConfig.parse(withoutTools).tools).toEqual([]);
    expect(ShellArguments.parse({ command: "ls" })).toEqual({ command: "ls", timeout_ms: 30_000 });
  });
});

describe("shapes with a code of their own", () => {
  it("leaves a wrong URL to the operation, and states the pattern in the document", () => {
    const value = { name: "x", subject_id: "u", url: "http://user@mcp.example.net/#a" };
    expect(CreateConnection.safeParse(value).success).toBe(true);
    expect(documentAccepts("CreateConnection", value)).toBe(false);
  });

  it("leaves a file without a sandbox to the operation, and states the rule in the document", () => {
    const input = { mode: "queue", content: [{ type: "file", file_id: "file_F1" }] };
    const value = { agent: { id: "agt_B1" }, subject_id: "u", environment: { type: "none" }, input };
    expect(CreateSession.safeParse(value).success).toBe(true);
    expect(documentAccepts("CreateSession", value)).toBe(false);
  });
});

describe("JSON of any depth", () => {
  it("passes arguments on as they are", () => {
    const deep: unknown = JSON.parse(`${'{"a":['.repeat(200_000)}${"]}".repeat(200_000)}`);
    const call = { ...platformCall, arguments: deep };
    const type: EventType = "tool.started";
    const parsed = SessionEvent.parse({
      id: "evt_A1",
      session_id: "ses_A1",
      sequence: 1,
      created_at: "2026-11-03T08:30:00Z",
      type,
      data: { call },
    });
    expect(parsed.type === type && parsed.data.call.arguments === deep).toBe(true);
  });

  it("compares tools without overflowing the stack", () => {
    const parameters: unknown = JSON.parse(
      `{"type":"object","x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
    );
    const tool = { type: "function", name: "f", description: "d", parameters };
    expect(AgentConfig.safeParse({ ...config, tools: [tool, { ...tool, name: "g" }] }).success).toBe(true);
    expect(AgentConfig.safeParse({ ...config, tools: [tool, { ...tool }] }).success).toBe(false);
  });
});
