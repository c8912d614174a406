/** One row of the table of refusals, and what writes rows shortly. */
import type { ErrorCode } from "../../../contract/errors.ts";
import { type KnownRoute, routes } from "../../../contract/routes.ts";
import { asJson, type Sent } from "../../support/http.ts";
import { type Parts, type ServedId, validRequest } from "./valid.ts";
import type { World } from "./world.ts";

export type Case = {
  readonly operation: ServedId;
  readonly code: ErrorCode;
  /** What is wrong with the request. */
  readonly what: string;
  readonly request: (world: World) => Sent;
  /** What it is sent with; null for nothing. Unless given, a credential that may do it: see `needsDashboard`. */
  readonly authorization?: string | null;
  /** Sent with a key of the project, though the operation is for its operators. */
  readonly byProject?: true;
  /** Sent by the other project, with its key. */
  readonly byOther?: true;
  /** For what a deployed stack cannot be brought to. */
  readonly laptopOnly?: true;
};

export const routeOf = (operation: ServedId): KnownRoute => routes[operation];

export const isForOperators = (operation: ServedId): boolean => routeOf(operation).auth === "dashboard";

/** True for a row that is sent with a dashboard session. */
export const needsDashboard = ({ operation, authorization, byProject, byOther }: Case): boolean =>
  isForOperators(operation) && authorization === undefined && byProject !== true && byOther !== true;

/** A request of the operation from its parts. */
export function assemble(operation: ServedId, parts: Parts): Sent {
  const { method, path } = routeOf(operation);
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts.params?.[name] ?? "");
  return {
    method,
    path: parts.query === undefined ? filled : `${filled}?${parts.query}`,
    ...(parts.body === undefined ? {} : { headers: asJson, body: JSON.stringify(parts.body) }),
  };
}

type Change = (world: World, valid: Parts) => Parts;

/** A row whose request is the valid one with other parts. */
export function changed(operation: ServedId, code: ErrorCode, what: string, change: Change): Case {
  const request = (world: World) => {
    const valid = validRequest(operation, world);
    return assemble(operation, { ...valid, ...change(world, valid) });
  };
  return { operation, code, what, request };
}

/** A row whose request has another query string. */
export const withQuery = (operation: ServedId, code: ErrorCode, query: string): Case =>
  changed(operation, code, query, () => ({ query }));

/** A row whose request has another body. */
export const withBody = (
  operation: ServedId,
  code: ErrorCode,
  what: string,
  body: unknown | ((world: World) => unknown),
): Case =>
  changed(operation, code, what, (world) => ({ body: typeof body === "function" ? body(world) : body }));

/** Rows of `invalid_request`, a changed valid body each. `undefined` leaves a key out. */
export function badBodies(operation: ServedId, changes: Readonly<Record<string, object>>): Case[] {
  return Object.entries(changes).map(([what, change]) =>
    changed(operation, "invalid_request", what, (_, { body }) => ({
      body: { ...(body as object), ...change },
    })),
  );
}

/** At most so many rows of each code: where another operation has them all. */
export function fewOf(rows: readonly Case[], few: number): Case[] {
  return [...Map.groupBy(rows, ({ code }) => code).values()].flatMap((ofCode) => ofCode.slice(0, few));
}

/** Arrays in arrays, so many levels deep. */
export const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
