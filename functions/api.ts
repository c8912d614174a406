import middy from "@middy/core";
import { createSchemas } from "../adapters/schemas/schemas.ts";
import { openApiDocument, openApiPath } from "../contract/openapi.ts";
import type { KnownRoute } from "../contract/routes.ts";
import { ApiError } from "../core/api/error.ts";
import type { ApiPorts, ApiRequest } from "../core/api/operation.ts";
import { isServed, runOperation } from "../core/api/operations.ts";
import { authenticate } from "./http/authenticate.ts";
import { type HttpRequest, ProxyEvent, toRequest } from "./http/request.ts";
import { deliverable, errorResponse, type HttpResponse, jsonResponse } from "./http/respond.ts";
import { MethodNotAllowed, route } from "./http/route.ts";
import { validate } from "./http/validate.ts";
import { createWorld, once, type World } from "./wiring.ts";

const world = once(createWorld);
const schemas = once(() => createSchemas());

/** Serves every operation but the stream. */
export const handler = middy(async (event: unknown): Promise<HttpResponse> => {
  const started = performance.now();
  const request = toRequest(ProxyEvent.parse(event));
  const response = await answer(world(), request);
  world().log.info("request", {
    requestId: request.requestId,
    method: request.method,
    status: response.statusCode,
    ms: Math.round(performance.now() - started),
  });
  return response;
});

async function answer(at: World, request: HttpRequest): Promise<HttpResponse> {
  try {
    if (request.method === "GET" && request.path === openApiPath) return document(request);
    const { route: found, params } = route(request);
    const caller = await authenticate(request, at.credentials, at.settings.operatorProject);
    if (found.auth === "dashboard" && caller.kind !== "operator") throw new ApiError("forbidden");
    const checked = validate(found, params, request);
    const ports = apiPorts(at, caller.projectId);
    const { status, body } = await run(found, ports, { ...checked, projectId: caller.projectId });
    return deliverable(jsonResponse(request.requestId, status, body), request.requestId);
  } catch (error) {
    const response = errorResponse(error, request.requestId, at.log);
    if (!(error instanceof MethodNotAllowed)) return response;
    return { ...response, headers: { ...response.headers, allow: error.allow } };
  }
}

/** `validate` has parsed every part with the route's own schemas, which is what `ApiRequest` says. */
const run = (found: KnownRoute, ports: ApiPorts, request: object) =>
  runOperation(found.operationId, ports, request as ApiRequest<typeof found.operationId> as never);

function apiPorts(at: World, projectId: string): ApiPorts {
  const { store, catalog, apiKeys, blobs, receipts, clock, log, newSuffix } = at;
  const vault = {
    seal: (secret: string, context: Readonly<Record<string, string>>) => at.vault().seal(secret, context),
  };
  const ofProject = { configs: at.configs(projectId), answers: at.answers(projectId), vault };
  return {
    store,
    catalog,
    apiKeys,
    blobs,
    receipts,
    ...ofProject,
    executions: at.executions(),
    schemas: schemas(),
    clock,
    log,
    newSuffix,
  };
}

function document(request: HttpRequest): HttpResponse {
  return jsonResponse(request.requestId, 200, openApiDocument(request.baseUrl, isServed));
}
