/** The route table: every operation of the API, and which one a request names. */
import { agentRoutes } from "./routes/agents.ts";
import { connectionRoutes } from "./routes/connections.ts";
import { fileRoutes } from "./routes/files.ts";
import { historyRoutes } from "./routes/history.ts";
import { keyRoutes } from "./routes/keys.ts";
import type { Method, Route } from "./routes/route.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { workRoutes } from "./routes/work.ts";

export { streamHeaders } from "./routes/history.ts";
export type { Method, Route, Success } from "./routes/route.ts";

/** Operation id -> route. */
export const routes = {
  ...keyRoutes,
  ...agentRoutes,
  ...connectionRoutes,
  ...sessionRoutes,
  ...workRoutes,
  ...historyRoutes,
  ...fileRoutes,
} as const;

export type OperationId = keyof typeof routes;

/** A route of the table, whose operation id is one of the known. */
export type KnownRoute = Route & { readonly operationId: OperationId };

export type RouteMatch = {
  readonly route: KnownRoute;
  /** Decoded path parameters, not yet checked against `route.params`. */
  readonly params: Readonly<Record<string, string>>;
};

/** Methods that a path does support, for the Allow header. */
export type NotAllowed = { readonly notAllowed: readonly Method[] };

type Template = { readonly route: KnownRoute; readonly segments: readonly string[] };

const templates: readonly Template[] = Object.values<KnownRoute>(routes).map((route) => ({
  route,
  segments: route.path.split("/"),
}));

/**
 * Finds the operation of a request. `path` is what follows `/v1`, as it was sent and without the query.
 *
 * A parameter that does not fit its pattern still matches: checking it is the next step, with an answer of its
 * own. Null when no route has the path, which is also the answer to a broken percent-encoding.
 */
export function matchRoute(method: string, path: string): RouteMatch | NotAllowed | null {
  const segments = decodeSegments(path);
  if (segments === null) return null;
  const allowed: Method[] = [];
  for (const { route, segments: template } of templates) {
    const params = matchSegments(template, segments);
    if (params === null) continue;
    if (route.method === method) return { route, params };
    allowed.push(route.method);
  }
  return allowed.length > 0 ? { notAllowed: allowed } : null;
}

function decodeSegments(path: string): string[] | null {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

function matchSegments(
  template: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (template.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    const actual = segments[index];
    if (actual === undefined) return null;
    if (!expected.startsWith("{")) {
      if (actual !== expected) return null;
    } else if (actual === "") {
      return null;
    } else {
      params[expected.slice(1, -1)] = actual;
    }
  }
  return params;
}
