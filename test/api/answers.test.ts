import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { routes } from "../../contract/routes.ts";
import { CreatedApiKey } from "../../contract/schemas/api-keys.ts";
import { isServed } from "../../core/api/operations.ts";
import { asJson, bearer, exchange, type Received, refusalOf } from "../support/http.ts";
import { patience } from "../support/patience.ts";
import { openStream } from "../support/sse.ts";
import { operatorCan, operatorOf, type Target, target } from "../support/target.ts";
import { assemble, isForOperators, routeOf } from "./refusals/case.ts";
import { type ServedId, servedIds, validRequest } from "./refusals/valid.ts";
import { agentConfig, archivedSession, cancelledInput, createProject, type World } from "./refusals/world.ts";

const stream = "get_sessions_session_id_events_stream";
const Document = z.object({
  openapi: z.string(),
  servers: z.array(z.object({ url: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string() }))),
  components: z.object({ schemas: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

let stack: Target;
type Used = "idle" | "archived" | "cancelledInput";
let world: Pick<World, Used | "openaiKey" | "agent" | "session" | "input" | "endedRun" | "settledCall">;
let document: z.infer<typeof Document>;

beforeAll(async () => {
  stack = await target();
  const project = await createProject(stack.api);
  world = {
    ...project,
    idle: (await stack.api.createSession(project.agent)).id,
    archived: await archivedSession(stack.api, project.agent),
    cancelledInput: await cancelledInput(stack.api, project.session),
  };
  document = Document.parse(JSON.parse((await read("/openapi.json")).text));
}, patience.hook);
afterAll(() => stack?.close());

const read = (path: string, headers: Record<string, string> = {}) =>
  exchange(stack.api.baseUrl, { method: "GET", path, headers });

/** The accepted request of an operation; what is deleted is made for it. */
async function accepted(operation: ServedId): Promise<Received> {
  const parts = validRequest(operation, world as World);
  const spare =
    operation === "delete_model_api_keys_model_api_key_id"
      ? { params: { model_api_key_id: (await stack.api.createKey()).id } }
      : operation === "delete_agents_agent_id"
        ? { params: { agent_id: (await stack.api.createAgent(agentConfig(world.openaiKey))).id } }
        : operation === "delete_sessions_session_id"
          ? { params: { session_id: (await stack.api.createSession(world.agent)).id } }
          : operation === "delete_api_keys_api_key_id"
            ? { params: { api_key_id: await spareApiKey() } }
            : {};
  const { headers, ...sent } = assemble(operation, { ...parts, ...spare });
  return exchange(stack.api.baseUrl, {
    ...sent,
    headers: { ...headers, ...bearer(callerOf(operation).key) },
  });
}

const callerOf = (operation: ServedId) => (isForOperators(operation) ? operatorOf(stack) : stack.api);

const spareApiKey = async (): Promise<string> =>
  (await operatorOf(stack).expectOk(CreatedApiKey, 201, "POST", "/api-keys", { name: "spare" })).id;

const managed = operatorCan("answers about API keys");

describe("an accepted request", patience.test, () => {
  for (const operation of servedIds.filter((id) => id !== stream)) {
    const { method, path, success } = routeOf(operation);

    it.runIf(managed || !isForOperators(operation))(
      `to ${method} ${path} is answered as its route says`,
      async () => {
        const received = await accepted(operation);
        const told = success.find(({ status }) => status === received.status);
        expect(told, received.text).toBeDefined();
        expect(received.headers.get("x-request-id")).toMatch(/\S/);
        if (told?.schema === null) {
          expect(received.text).toBe("");
        } else {
          expect(received.headers.get("content-type")).toBe("application/json");
          const body: unknown = JSON.parse(received.text);
          // Parsing adds nothing and drops nothing: the answer is complete and has no keys of its own.
          expect(told?.schema?.parse(body)).toEqual(body);
          expect(documented(operation, received.status)(body)).toBe(true);
        }
      },
    );
  }

  it("to the stream is answered with frames of the contract", async () => {
    const [first] = await stack.api.events(world.session);
    const events = await openStream(stack.api, world.session, { after: String(first?.id) });
    await events.until((frames) => frames.length >= 10);
    await events.close();
  });

  it("takes a media type in any case and with parameters", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON",
      'application/json;charset="UTF-8"',
    ]) {
      const received = await exchange(stack.api.baseUrl, {
        method: "PATCH",
        path: `/agents/${world.agent}`,
        headers: { ...bearer(stack.api.key), "content-type": type },
        body: JSON.stringify({ name: "renamed – ü 😀" }),
      });
      expect(received.status).toBe(200);
      expect(JSON.parse(received.text)).toMatchObject({ name: "renamed – ü 😀" });
    }
  });

  it("takes the scheme of its credential in any case", async () => {
    for (const scheme of ["bearer", "BEARER", "BeArEr"]) {
      const { status } = await read("/agents", { authorization: `${scheme} ${stack.api.key}` });
      expect(status).toBe(200);
    }
  });

  it("may have query parameters that nobody knows", async () => {
    expect((await read("/agents?colour=red", bearer(stack.api.key))).status).toBe(200);
  });
});

/** A check of bodies against the schema that the served document has for the answer. */
function documented(operation: ServedId, status: number) {
  const { path, method } = routeOf(operation);
  const place = [
    "paths",
    path,
    method.toLowerCase(),
    "responses",
    String(status),
    "content",
    "application/json",
  ];
  const pointer = [...place, "schema"].map((part) => encodeURIComponent(escaped(part))).join("/");
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  ajv.addSchema(document, "document");
  return ajv.compile({ $ref: `document#/${pointer}` });
}

const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");

describe("a path", patience.test, () => {
  const served = Object.values(routes).filter(({ operationId }) => isServed(operationId));
  const paths = [...new Set(served.map(({ path }) => path))];

  it.each(paths)("%s names its methods to a request with another", async (path) => {
    const methods = served.filter((route) => route.path === path).map(({ method }) => method);
    const filled = path
      .replace("{version}", "1")
      .replaceAll(/\{(\w+?)_id\}/g, (_, kind: string) => `${shortNames[kind]}_1`);
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      if ((methods as string[]).includes(method)) continue;
      const received = await exchange(stack.api.baseUrl, {
        method,
        path: filled,
        headers: bearer(stack.api.key),
      });
      expect([method, refusalOf(received)]).toEqual([method, { status: 405, code: "method_not_allowed" }]);
      expect(received.headers.get("allow")?.split(", ").sort()).toEqual([...methods].sort());
    }
  });

  const shortNames: Record<string, string> = {
    model_api_key: "mkey",
    agent: "agt",
    session: "ses",
    input: "inp",
    run: "run",
  };

  it.each([
    "",
    "/",
    "/nothing",
    "/agents/",
    "//agents",
    "/Agents",
    "/agents/agt_1/",
    "/agents/agt_1/versions/1/2",
    "/agents/%zz",
    "/sessions/ses_1/events/stream/",
    "/openapi.yaml",
    "/connections",
    "/sessions/ses_1/stops",
  ])('"%s" is not found, with a key or without', async (path) => {
    for (const headers of [{}, bearer(stack.api.key)]) {
      expect(refusalOf(await read(path, headers))).toEqual({ status: 404, code: "not_found" });
    }
  });

  it("outside of /v1 is not found", async () => {
    const root = stack.api.baseUrl.replace(/\/v1$/, "");
    for (const path of ["/", "/v2/agents", "/v1agents", "/agents"]) {
      const received = await exchange(root, { method: "GET", path, headers: bearer(stack.api.key) });
      expect(refusalOf(received)).toEqual({ status: 404, code: "not_found" });
    }
  });

  it("of a known shape with a body of no operation is not found before the body is read", async () => {
    const sent = { method: "POST", path: "/nothing", headers: asJson, body: "{" };
    expect(refusalOf(await exchange(stack.api.baseUrl, sent))).toEqual({ status: 404, code: "not_found" });
  });
});

describe("the API document", patience.test, () => {
  it("is served to everybody, at this server's address", async () => {
    const received = await read("/openapi.json");
    expect(received.status).toBe(200);
    expect(received.headers.get("content-type")).toBe("application/json");
    expect(document.openapi).toBe("3.1.1");
    expect(document.servers).toEqual([{ url: stack.api.baseUrl }]);
  });

  it("has exactly the operations that are served, and itself", () => {
    const shown = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const served = servedIds.map((id) => `${id} ${routeOf(id).method} ${routeOf(id).path}`);
    expect(shown.sort()).toEqual([...served, "get_openapi GET /openapi.json"].sort());
  });

  it("has schemas that all compile, their references included", () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    ajv.addSchema(document, "document");
    for (const name of Object.keys(document.components.schemas)) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow();
    }
  });

  it("answers other methods with those it has", async () => {
    const received = await exchange(stack.api.baseUrl, { method: "POST", path: "/openapi.json" });
    expect(refusalOf(received)).toEqual({ status: 405, code: "method_not_allowed" });
    expect(received.headers.get("allow")).toBe("GET");
  });
});
