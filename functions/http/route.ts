import { openApiPath } from "../../contract/openapi.ts";
import { type KnownRoute, matchRoute } from "../../contract/routes.ts";
import { ApiError } from "../../core/api/error.ts";
import { isServed } from "../../core/api/operations.ts";
import type { HttpRequest } from "./request.ts";

export type Routed = { readonly route: KnownRoute; readonly params: Readonly<Record<string, string>> };

/** A path that exists, without the request's method. */
export class MethodNotAllowed extends ApiError {
  readonly allow: string;

  constructor(methods: readonly string[]) {
    super("method_not_allowed");
    this.allow = methods.join(", ");
  }
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/**
 * Finds the operation that a request names, which the API document is none of. Throws `not_found` for a path,
 * and `method_not_allowed` for a method of it, that this version does not serve.
 */
export function route({ method, path }: HttpRequest): Routed {
  if (path === null) throw new ApiError("not_found");
  if (path === openApiPath) throw new MethodNotAllowed(["GET"]);
  const match = served(method, path);
  if (match !== null) return match;
  const others = methods.filter((other) => served(other, path) !== null);
  if (others.length > 0) throw new MethodNotAllowed(others);
  throw new ApiError("not_found", "Nothing is served by this path. See /v1/openapi.json for what is.");
}

function served(method: string, path: string): Routed | null {
  const match = matchRoute(method, path);
  return match !== null && "route" in match && isServed(match.route.operationId) ? match : null;
}
