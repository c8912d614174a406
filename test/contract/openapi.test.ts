import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Json } from "../../contract/json.ts";
import { requestExamples } from "../../contract/openapi/examples.ts";
import { openApiDocument, openApiPath } from "../../contract/openapi.ts";
import { type KnownRoute, routes } from "../../contract/routes.ts";
import { components } from "../../contract/schemas/index.ts";

const response = z.object({
  description: z.string().min(1),
  content: z.record(z.string(), z.object({ schema: z.unknown() })).optional(),
  "x-error-codes": z.array(z.string()).optional(),
});
const operation = z.object({
  operationId: z.string(),
  summary: z.string().min(1),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  parameters: z
    .array(z.object({ name: z.string(), in: z.string(), required: z.boolean(), schema: z.unknown() }))
    .default([]),
  requestBody: z.object({ required: z.literal(true), content: z.record(z.string(), z.unknown()) }).optional(),
  responses: z.record(z.string(), response),
});
const Document = z.object({
  openapi: z.literal("3.1.1"),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
    securitySchemes: z.record(z.string(), z.object({ type: z.literal("http"), scheme: z.literal("bearer") })),
  }),
});

const server = "https://api.example.net/v1";
const raw = openApiDocument(server);
const document = Document.parse(raw);
const all: readonly KnownRoute[] = Object.values(routes);

function operationOf(route: KnownRoute) {
  const found = document.paths[route.path]?.[route.method.toLowerCase()];
  if (found === undefined) throw new Error(`The document lacks ${route.operationId}.`);
  return found;
}

/** Every `$ref` in a value. */
function refs(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(refs);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries<Json>({ ...value }).flatMap(([key, child]) =>
    key === "$ref" && typeof child === "string" ? [child] : refs(child),
  );
}

function resolve(ref: string): unknown {
  let here: unknown = raw;
  for (const part of ref.replace("#/", "").split("/"))
    here = z.record(z.string(), z.unknown()).parse(here)[part];
  return here;
}

describe("the document", () => {
  it("names the server that it was asked for", () => {
    expect(document.servers).toEqual([{ url: server }]);
    expect(openApiDocument("http://127.0.0.1:1/v1")["servers"]).toEqual([{ url: "http://127.0.0.1:1/v1" }]);
  });

  it("is built once", () => {
    expect(openApiDocument("http://127.0.0.1:1/v1")["components"]).toBe(raw["components"]);
  });

  it("has its own path, for everybody", () => {
    expect(document.paths[openApiPath]?.["get"]?.security).toEqual([]);
  });

  it("has nothing but the table's operations and its own", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map((found) => found.operationId),
    );
    expect(ids.sort()).toEqual([...Object.keys(routes), "get_openapi"].sort());
  });

  it("resolves every reference", () => {
    const all = new Set(refs(raw));
    expect(all.size).toBeGreaterThan(50);
    expect([...all].filter((ref) => resolve(ref) === undefined)).toEqual([]);
  });

  it("names every schema of the contract", () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual(Object.keys(components).sort());
  });
});

describe("components", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(raw, "api");

  it.each(Object.keys(components))("%s is a schema of draft 2020-12 with a description", (name) => {
    const schema = document.components.schemas[name] ?? {};
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(ajv.getSchema(`api#/components/schemas/${name}`)).toBeTypeOf("function");
    expect(schema["description"]).toMatch(/\.$/);
    expect(Object.keys(schema)).not.toContain("$id");
  });
});

describe.each(all.map((route) => [route.operationId, route] as const))("%s", (_, route) => {
  const found = operationOf(route);

  it("asks for the credential that the table names", () => {
    const schemes = found.security.flatMap((entry) => Object.keys(entry));
    expect(schemes).toEqual(route.auth === "dashboard" ? ["Operator"] : ["ProjectKey", "Operator"]);
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme);
  });

  it("lists its parameters", () => {
    const names = [route.params, route.query, route.headers].flatMap((schema) =>
      Object.keys(schema?.shape ?? {}),
    );
    expect(found.parameters.map(({ name }) => name.toLowerCase())).toEqual(names);
    for (const { in: place, required } of found.parameters) expect(required).toBe(place === "path");
  });

  it("lists its answers and the codes of its errors", () => {
    const codes = Object.values(found.responses).flatMap((answer) => answer["x-error-codes"] ?? []);
    expect(codes.sort()).toEqual([...new Set<string>(route.errors)].sort());
    for (const { status, schema, contentType = "application/json" } of route.success) {
      const { content } = found.responses[String(status)] ?? {};
      expect(Object.keys(content ?? {})).toEqual(schema === null ? [] : [contentType]);
    }
  });

  it("has a body and an example exactly when the table has a JSON body", () => {
    expect(found.requestBody === undefined).toBe(route.bodyType === "none");
    const examples = Object.values(requestExamples[route.operationId] ?? {});
    expect(examples.length > 0).toBe(route.bodyType === "json");
    for (const { value } of examples) expect(route.body?.safeParse(value).error).toBeUndefined();
  });
});

describe("the stream", () => {
  it("is text/event-stream with the frames as its items", () => {
    const { responses } = operationOf(routes.get_sessions_session_id_events_stream);
    expect(responses["200"]?.content).toEqual({
      "text/event-stream": { schema: { $ref: "#/components/schemas/StreamItem" } },
    });
  });
});
