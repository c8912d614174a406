/** Refusals that every operation with the same parts has in common. */
import type { ErrorCode } from "../../../contract/errors.ts";
import { asJson, type Sent } from "../../support/http.ts";
import { assemble, type Case, changed, fewOf, isForOperators, routeOf, withQuery } from "./case.ts";
import { type ServedId, servedIds, validRequest } from "./valid.ts";
import type { World } from "./world.ts";

const ids = {
  api_key_id: "key",
  model_api_key_id: "mkey",
  agent_id: "agt",
  session_id: "ses",
  input_id: "inp",
  run_id: "run",
} as const;

const parametersOf = (operation: ServedId): string[] =>
  [...routeOf(operation).path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

const valid = (operation: ServedId, world: World): Sent =>
  assemble(operation, validRequest(operation, world));

function unauthorized(operation: ServedId): Case[] {
  const credentials: Record<string, string | null> = {
    "no credential": null,
    "an unknown key": "Bearer dev-key-unknown",
    "a key in another case": "Bearer DEV-KEY",
    "another scheme": "Basic ZGV2LWtleTpkZXYta2V5",
    "a key without a scheme": "dev-key",
    "a scheme without a key": "Bearer",
    "two keys": "Bearer dev-key dev-key",
  };
  return Object.entries(credentials).map(([what, authorization]) => ({
    operation,
    code: "unauthorized",
    what,
    authorization,
    request: (world) => valid(operation, world),
  }));
}

function forbidden(operation: ServedId): Case[] {
  if (!isForOperators(operation)) return [];
  const row = { operation, code: "forbidden", request: (world: World) => valid(operation, world) } as const;
  return [
    { ...row, what: "a key of the project", byProject: true },
    { ...row, what: "a key of another project", byOther: true },
    {
      ...changed(operation, "forbidden", "a key of the project, and much else wrong", () => ({
        params: Object.fromEntries(parametersOf(operation).map((name) => [name, "nope"])),
        query: "limit=0&cursor=x",
      })),
      byProject: true,
    },
  ];
}

function inPath(operation: ServedId): Case[] {
  return parametersOf(operation).flatMap((name) => {
    const at = (code: ErrorCode, value: (world: World) => string, what: string) =>
      changed(operation, code, `${name}: ${what}`, (world, { params }) => ({
        params: { ...params, [name]: value(world) },
      }));
    if (name === "version") {
      const wrong = ["0", "-1", "1.0", "01", "1e0", "x", "%201", "99999999999999999999"];
      return [
        ...wrong.map((value) => at("invalid_parameter", () => value, value)),
        at("not_found", () => "2", "no such version"),
        at("not_found", () => "9007199254740991", "the largest version"),
      ];
    }
    const prefix = ids[name as keyof typeof ids];
    const wrong = [
      "nope",
      "file_1",
      `${prefix}_`,
      `${prefix}_a-b`,
      `${prefix}_a%20b`,
      `${prefix}_a%0A`,
      `${prefix}_%00`,
    ];
    return [
      ...wrong.map((value) => at("invalid_parameter", () => value, value)),
      at("not_found", () => `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV`, "an id of nothing"),
      at("not_found", () => `${prefix}_${"a".repeat(3_000)}`, "an endless id"),
      at("not_found", (world) => otherIdOf(world, name), "another project's id"),
    ];
  });
}

function otherIdOf({ other }: World, name: string): string {
  const of: Record<string, string> = {
    api_key_id: other.apiKey,
    model_api_key_id: other.openaiKey,
    agent_id: other.agent,
    session_id: other.session,
    input_id: other.input,
    run_id: other.endedRun,
  };
  return of[name] ?? "";
}

/** Every id of the path is the other project's, whichever asks. */
function ofOther(operation: ServedId): Case[] {
  if (parametersOf(operation).length === 0) return [];
  const theirs = changed(operation, "not_found", "everything is another project's", ({ other }) => {
    const world = { ...other, idle: other.session, other } as unknown as World;
    return validRequest(operation, world);
  });
  if (isForOperators(operation)) return [theirs];
  const ours: Case = {
    operation,
    code: "not_found",
    what: "another project asks",
    byOther: true,
    request: (world) => valid(operation, world),
  };
  return [theirs, ours];
}

function inQuery(operation: ServedId): Case[] {
  const { query } = routeOf(operation);
  if (query === undefined || !("limit" in query.shape)) return [];
  const limits = ["0", "101", "-1", "1e1", "0x10", "1.5", "01", "+1", "%201", "1%20", "", "ten"];
  return [
    ...limits.map((limit) => withQuery(operation, "invalid_parameter", `limit=${limit}`)),
    withQuery(operation, "invalid_parameter", "limit=1&limit=1"),
    withQuery(operation, "invalid_parameter", "limit=1&limit=2"),
    withQuery(operation, "invalid_parameter", "cursor=a&cursor=a"),
  ];
}

function ofIdempotencyKey(operation: ServedId): Case[] {
  const { headers } = routeOf(operation);
  if (headers === undefined || !("idempotency-key" in headers.shape)) return [];
  return ["two words", "a".repeat(256), "é"].map((key) => ({
    operation,
    code: "invalid_parameter",
    what: `Idempotency-Key ${key.slice(0, 20)}`,
    request: (world) => {
      const sent = valid(operation, world);
      return { ...sent, headers: { ...sent.headers, "idempotency-key": key } };
    },
  }));
}

const limit = 16 * 1024 * 1024;

function ofBody(operation: ServedId): Case[] {
  if (routeOf(operation).bodyType !== "json") return [];
  const raw = (
    code: ErrorCode,
    what: string,
    body: (json: string) => string,
    headers: Record<string, string> = asJson,
  ): Case => ({
    operation,
    code,
    what,
    request: (world) => {
      const sent = valid(operation, world);
      return { ...sent, headers, body: body(String(sent.body)) };
    },
  });
  const values = ["null", "[]", "1", '"text"', "true"];
  return [
    raw("invalid_json", "an empty body", () => ""),
    raw("invalid_json", "half a body", (json) => json.slice(0, -1)),
    raw("invalid_json", "a body and more", (json) => `${json}}`),
    raw("invalid_json", "a comment", (json) => `${json} // the end`),
    raw("invalid_json", "single quotes", () => "{'name': 'x'}"),
    raw("unsupported_media_type", "no media type", (json) => json, {}),
    raw("unsupported_media_type", "text/plain", (json) => json, { "content-type": "text/plain" }),
    raw("unsupported_media_type", "a longer name", (json) => json, { "content-type": "application/jsonp" }),
    raw("unsupported_media_type", "a form", () => "name=x", {
      "content-type": "application/x-www-form-urlencoded",
    }),
    raw("invalid_request", "an unknown key", (json) => json.replace("{", '{"surplus":1,')),
    raw("invalid_request", "NUL in a key", (json) => json.replace("{", '{"a\\u0000b":1,')),
    raw("invalid_request", "201 levels", () => `${"[".repeat(201)}${"]".repeat(201)}`),
    raw("invalid_request", "the key __proto__", (json) => json.replace("{", '{"__proto__":{},')),
    ...values.map((value) => raw("invalid_request", value, () => value)),
    raw("invalid_request", "100,000 levels", () => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`),
    { ...raw("request_too_large", "16 MiB and a byte", (json) => json.padEnd(limit + 1)), laptopOnly: true },
  ];
}

/** Operations that get every row; others get a few of each code, since the same code of ours refuses them. */
const thoroughly: readonly ServedId[] = [
  "post_model_api_keys",
  "get_agents",
  "get_agents_agent_id",
  "get_agents_agent_id_versions_version",
  "get_sessions_session_id_inputs_input_id",
  "get_sessions_session_id_runs_run_id",
];

const FEW = 3;

export const genericCases: readonly Case[] = servedIds.flatMap((operation) => {
  const lists = [unauthorized, forbidden, inPath, inQuery, ofIdempotencyKey, ofBody].map((rows) =>
    rows(operation),
  );
  const kept = thoroughly.includes(operation) ? lists : lists.map((rows) => fewOf(rows, FEW));
  return [...kept.flat(), ...ofOther(operation)];
});
