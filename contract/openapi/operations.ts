/** Routes as OpenAPI operations. */
import type * as z from "zod";
import { type ErrorCode, errors } from "../errors.ts";
import { type KnownRoute, routes, type Success } from "../routes.ts";
import { requestExamples } from "./examples.ts";
import { type JsonSchema, refTo, schemaOf } from "./schemas.ts";

type Fields = Record<string, unknown>;

/** Headers as they are usually written; schemas have them in lower case. */
const headerNames: Readonly<Record<string, string>> = {
  "last-event-id": "Last-Event-ID",
  "idempotency-key": "Idempotency-Key",
};

/** Path -> method -> operation, for the whole route table. */
export function paths(): Record<string, Fields> {
  const byPath: Record<string, Fields> = {};
  for (const route of Object.values<KnownRoute>(routes)) {
    byPath[route.path] = { ...byPath[route.path], [route.method.toLowerCase()]: operation(route) };
  }
  return byPath;
}

function operation(route: KnownRoute): Fields {
  const body = requestBody(route);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: route.auth === "dashboard" ? [{ Operator: [] }] : [{ ProjectKey: [] }, { Operator: [] }],
    parameters: [
      ...parameters("path", route.params),
      ...parameters("query", route.query),
      ...parameters("header", route.headers),
    ],
    ...(body === null ? {} : { requestBody: body }),
    responses: { ...successes(route.success), ...failures(route.errors) },
  };
}

function parameters(place: "path" | "query" | "header", schema: z.ZodObject | undefined): Fields[] {
  if (schema === undefined) return [];
  // The output side describes the value that a client means, such as an integer, and not the text of it.
  const { properties = {} } = schemaOf(schema, "output");
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = typeof property === "boolean" ? { description: undefined } : property;
    return {
      name: headerNames[name] ?? name,
      in: place,
      required: place === "path",
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function requestBody(route: KnownRoute): Fields | null {
  if (route.body === undefined) return null;
  const mediaType = route.bodyType === "multipart" ? "multipart/form-data" : "application/json";
  const examples = requestExamples[route.operationId];
  const content = { schema: schemaOf(route.body), ...(examples === undefined ? {} : { examples }) };
  return { required: true, content: { [mediaType]: content } };
}

function successes(outcomes: readonly Success[]): Record<string, Fields> {
  return Object.fromEntries(outcomes.map((outcome) => [String(outcome.status), success(outcome)]));
}

function success({ description, schema, contentType = "application/json", headers = {} }: Success): Fields {
  const examples = Object.entries(headers).map(([name, example]) => [
    name,
    { schema: { type: "string" }, example },
  ]);
  return {
    description,
    ...(examples.length === 0 ? {} : { headers: Object.fromEntries(examples) }),
    ...(schema === null ? {} : { content: { [contentType]: { schema: schemaOf(schema) } } }),
  };
}

function failures(codes: readonly ErrorCode[]): Record<string, Fields> {
  const byStatus = Map.groupBy(new Set(codes), (code) => errors[code].status);
  return Object.fromEntries([...byStatus].map(([status, ofStatus]) => [String(status), failure(ofStatus)]));
}

function failure(codes: readonly ErrorCode[]): Fields {
  const lines = codes.map((code) => `- \`${code}\`: ${errors[code].message}`);
  const schema: JsonSchema = refTo("Error");
  return {
    description: lines.join("\n"),
    "x-error-codes": codes,
    content: { "application/json": { schema } },
  };
}
