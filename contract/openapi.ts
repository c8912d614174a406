/** The API as an OpenAPI 3.1 document, made from the route table and the schemas. */
import type { Json, JsonObject } from "./json.ts";
import { paths } from "./openapi/operations.ts";
import { componentSchemas } from "./openapi/schemas.ts";
import { type OperationId, routes } from "./routes.ts";

/** Where the document itself is served, relative to the server's URL and without authentication. */
export const openApiPath = "/openapi.json";

let withoutServers: JsonObject | undefined;

/**
 * The document for a server, such as `https://api.example.com/v1`, with the operations that it serves; all
 * of them unless told otherwise. Built on first use and kept; only the server's part differs from call to call.
 */
export function openApiDocument(
  serverUrl: string,
  isServed: (operationId: OperationId) => boolean = () => true,
): JsonObject {
  withoutServers ??= build();
  const hidden = Object.values(routes).filter(({ operationId }) => !isServed(operationId));
  const shown = Object.entries(withoutServers["paths"] ?? {}).flatMap(([path, operations]) => {
    const methods = hidden.filter((route) => route.path === path).map(({ method }) => method.toLowerCase());
    const kept = Object.entries(operations as JsonObject).filter(([method]) => !methods.includes(method));
    return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const];
  });
  return { ...withoutServers, paths: Object.fromEntries(shown), servers: [{ url: serverUrl }] };
}

const info = {
  title: "Stepyard API",
  version: "0.1.0",
  description: [
    "Sessions in which an agent works for one of your users: send input, follow the events, answer its function calls.",
    "Every error has the Error body with a stable code. Lists come in pages: pass next_cursor on as cursor until it is null.",
  ].join("\n\n"),
} as const;

const tags = [
  { name: "API keys", description: "Keys of this API. For operators." },
  { name: "Model API keys", description: "Your keys of the model providers." },
  { name: "Agents", description: "Model, instructions and tools, in versions." },
  { name: "Connections", description: "Remote MCP endpoints and their headers." },
  { name: "Sessions", description: "Conversations and their controls." },
  { name: "Inputs", description: "What is sent to a session." },
  { name: "Tools", description: "Results of functions that your application runs." },
  { name: "Runs", description: "Executions and their outcomes." },
  { name: "Events", description: "A session's log, in pages or live." },
  { name: "Files", description: "Uploads and saved outputs." },
] as const;

const securitySchemes = {
  ProjectKey: {
    type: "http",
    scheme: "bearer",
    description:
      "An API key of the project. It may do everything but manage API keys. Keep it in your backend.",
  },
  Operator: {
    type: "http",
    scheme: "bearer",
    description: "A credential of the project's operator. It may do everything, managing API keys included.",
  },
} as const;

const ownPath = {
  get: {
    operationId: "get_openapi",
    summary: "Read this document",
    security: [],
    responses: {
      "200": {
        description: "The document.",
        content: { "application/json": { schema: { type: "object", additionalProperties: true } } },
      },
    },
  },
} as const;

function build(): JsonObject {
  return plain({
    openapi: "3.1.1",
    info,
    tags,
    paths: { ...paths(), [openApiPath]: ownPath },
    components: { schemas: componentSchemas(), securitySchemes },
  });
}

/** Plain JSON: schemas come with members that are not data. */
function plain(value: Record<string, unknown>): Record<string, Json> {
  return JSON.parse(JSON.stringify(value));
}
