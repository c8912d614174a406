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

/** Finds the operation that a request names; throws `not_found` or `method_not_allowed`. */
export function route({ method, path }: HttpRequest): Routed {
  const match = path === null ? null : matchRoute(method, path);
  if (match === null) throw new ApiError("not_found");
  if ("notAllowed" in match) {
    const served = match.notAllowed.filter((other) => servedBy(other, path ?? ""));
    throw served.length === 0 ? new ApiError("not_found") : new MethodNotAllowed(served);
  }
  if (isServed(match.route.operationId)) return match;
  throw new ApiError(
    "not_found",
    "This version does not serve the operation. See /v1/openapi.json for what it does.",
  );
}

function servedBy(method: string, path: string): boolean {
  const match = matchRoute(method, path);
  return match !== null && "route" in match && isServed(match.route.operationId);
}
