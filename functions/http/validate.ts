import type * as z from "zod";
import type { ErrorCode } from "../../contract/errors.ts";
import type { Json } from "../../contract/json.ts";
import { collectParameters } from "../../contract/parameters.ts";
import type { Route } from "../../contract/routes.ts";
import { ApiError } from "../../core/api/error.ts";
import { couldExist } from "../../core/api/ids.ts";
import { readJson } from "./body.ts";
import type { HttpRequest } from "./request.ts";

export type Validated = {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  /** The JSON body as it was sent; undefined where the route has none. */
  readonly sent: Json | undefined;
};

/**
 * Checks every part of a request against its route: parameters first, then the body. Throws `not_found` for an
 * id in the path that nothing can have.
 */
export function validate(
  route: Route,
  params: Readonly<Record<string, string>>,
  request: HttpRequest,
): Validated {
  const parameters = {
    params: check(route.params, params, "invalid_parameter"),
    query: check(route.query, collectParameters(request.query), "invalid_parameter"),
    headers: check(route.headers, request.headers, "invalid_parameter"),
  };
  if (!Object.values(params).every(couldExist)) throw new ApiError("not_found");
  if (route.bodyType !== "json") return { ...parameters, body: undefined, sent: undefined };
  const sent = readJson(request);
  return { ...parameters, body: check(route.body, sent, "invalid_request"), sent };
}

const SHOWN_ISSUES = 3;

function check(schema: z.ZodType | undefined, value: unknown, code: ErrorCode): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, SHOWN_ISSUES).map(describe);
  throw new ApiError(code, issues.join(" ").slice(0, 1_000));
}

/** Where and what; never the value, which may be a secret. */
function describe(issue: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  const place = issue.path.map(String).join(".");
  const message = issue.message.endsWith(".") ? issue.message : `${issue.message}.`;
  return place === "" ? message : `${place}: ${message}`;
}
