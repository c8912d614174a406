import { describe, expect, it } from "vitest";
import { errors, isErrorCode } from "../../contract/errors.ts";
import { type KnownRoute, matchRoute, routes } from "../../contract/routes.ts";

const all: readonly KnownRoute[] = Object.values(routes);

describe("matchRoute", () => {
  it.each(all.map((route) => [route.operationId, route] as const))("finds %s", (_, route) => {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const found = matchRoute(route.method, route.path.replaceAll(/\{(\w+)\}/g, "$1-1"));
    expect(found).toEqual({ route, params: Object.fromEntries(names.map((name) => [name, `${name}-1`])) });
  });

  it("decodes parameters, even to what their pattern refuses", () => {
    const found = matchRoute("GET", "/sessions/ses%5FA%2F1%00");
    expect(found).toMatchObject({ params: { session_id: "ses_A/1\0" } });
  });

  it("decodes the fixed parts of a path", () => {
    expect(matchRoute("GET", "/%73essions")).toMatchObject({ route: { operationId: "get_sessions" } });
  });

  it.each([
    "",
    "/",
    "/nothing",
    "/sessions/",
    "/sessions//runs",
    "/sessions/ses_A/events/stream/more",
    "/Sessions",
    "sessions",
    "/sessions/%E0%A4%A",
    "/sessions/%",
    "/sessions/%FF",
    "/__proto__",
  ])("finds nothing at %j", (path) => {
    expect(matchRoute("GET", path)).toBeNull();
  });

  it.each([
    ["HEAD", "/sessions", ["POST", "GET"]],
    ["OPTIONS", "/files/file_F1", ["GET", "DELETE"]],
    ["PUT", "/sessions/ses_A/stop", ["POST"]],
    ["get", "/agents/agt_B1", ["PATCH", "DELETE", "GET"]],
  ])("names the methods allowed in place of %s on %s", (method, path, notAllowed) => {
    expect(matchRoute(method, path)).toEqual({ notAllowed });
  });
});

describe("the route table", () => {
  it("has each operation under its own id", () => {
    expect(Object.keys(routes)).toEqual(all.map((route) => route.operationId));
    expect(all).toHaveLength(42);
  });

  it.each(all.map((route) => [route.operationId, route] as const))(
    "of %s describes what it takes",
    (_, route) => {
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(Object.keys(route.params?.shape ?? {})).toEqual(inPath);
      expect(route.bodyType === "none").toBe(route.body === undefined);
      expect(route.success.length).toBeGreaterThan(0);
      expect(route.errors.filter((code) => !isErrorCode(code))).toEqual([]);
    },
  );

  it("lets only operators manage API keys", () => {
    const dashboard = all.filter((route) => route.auth === "dashboard").map((route) => route.tag);
    expect(dashboard).toEqual(["API keys", "API keys", "API keys"]);
  });

  it("uses every error code but the one that no route can have", () => {
    const used = new Set(all.flatMap((route) => [...route.errors]));
    expect(Object.keys(errors).filter((code) => isErrorCode(code) && !used.has(code))).toEqual([
      "method_not_allowed",
    ]);
  });
});
