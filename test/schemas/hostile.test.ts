/** Schemas and values that take what they can: nobody else is held up, and the one who asked is told. */
import { afterAll, describe, expect, it } from "vitest";
import { limits } from "../../adapters/schemas/limits.ts";
import { createSchemas } from "../../adapters/schemas/schemas.ts";
import type { Json, JsonObject } from "../../contract/json.ts";
import type { SchemaCheck } from "../../core/ports/schemas.ts";

const schemas = createSchemas({ cpuMs: 1_000 });
afterAll(() => schemas.close());

const property = (schema: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { a: schema },
  ...more,
});
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));
const named = (count: number, make: (index: number) => Json): JsonObject =>
  Object.fromEntries(times(count, (n) => [`name${n}`, make(n)]));

/** Each definition refers to the one before it twice. */
const doubling = property(
  { $ref: "#/$defs/name40" },
  {
    $defs: named(41, (n) =>
      n === 0 ? { type: "string" } : { allOf: [0, 1].map(() => ({ $ref: `#/$defs/name${n - 1}` })) },
    ),
  },
);
const nested = (depth: number): JsonObject =>
  depth === 0 ? { type: "string" } : { anyOf: [nested(depth - 1), nested(depth - 1)] };
const tower = (depth: number): JsonObject => (depth === 0 ? {} : { not: tower(depth - 1) });
const backtracking = property({ type: "string", pattern: "^(a+)+$" });
const many = "a".repeat(40);

/** Resolves with the longest time in which this thread did nothing else, in milliseconds. */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await work().finally(() => clearInterval(timer));
  return longest;
}

describe("a check that takes too long", () => {
  const slow: readonly (readonly [string, SchemaCheck])[] = [
    ["a pattern that backtracks", { schema: backtracking, value: { a: `${many}!` } }],
    [
      "a property's name that backtracks",
      { schema: { patternProperties: { "^(a+)+$": {} } }, value: { [`${many}!`]: 1 } },
    ],
    ["references that double", { schema: doubling, value: { a: "text" } }],
    [
      "a pattern whose compilation looks at no interrupt",
      {
        schema: property({ type: "string", pattern: `${"(".repeat(9_000)}a${")*".repeat(9_000)}` }),
        value: { a: "a" },
      },
    ],
    [
      "an array whose items are compared with each other",
      { schema: property({ uniqueItems: true }), value: { a: times(20_000, (n) => ({ n })) } },
    ],
  ];

  it.each(slow)("is a problem, and the event loop is free: %s", async (_, check) => {
    let problem: unknown;
    const stall = await longestStall(async () => {
      problem = await schemas.firstProblem([{ schema: {}, value: 1 }, check]);
    });
    expect(problem).toEqual({ index: 1, problem: expect.stringContaining("validation took too long") });
    expect(stall).toBeLessThan(800);
  });

  it("keeps another one waiting for nothing", async () => {
    const waits = schemas.firstProblem([{ schema: backtracking, value: { a: `${many}!` } }]);
    const other = schemas.firstProblem([{ schema: backtracking, value: { a: "aaa" } }]);
    expect(await Promise.race([waits, other])).toBeNull();
    expect(await waits).not.toBeNull();
  });

  it("gives way to the next in line, however many there are", async () => {
    const all = times(limits.processes + 2, () =>
      schemas.firstProblem([{ schema: backtracking, value: { a: `${many}!` } }]),
    );
    const last = schemas.firstProblem([{ schema: backtracking, value: { a: "b" } }]);
    expect(await last).toMatchObject({ problem: '/a must match pattern "^(a+)+$"' });
    for (const slow of await Promise.all(all)) expect(slow?.problem).toContain("too long");
  });
});

describe("a large schema", () => {
  const object = (rest: JsonObject): JsonObject => ({ type: "object", ...rest });
  const large: readonly (readonly [string, JsonObject])[] = [
    [
      "references to one large definition",
      object({
        properties: named(400, () => ({ $ref: "#/$defs/a" })),
        $defs: { a: object({ properties: named(400, () => ({ type: "string" })) }) },
      }),
    ],
    ["combinations in combinations", property(nested(12))],
    ["negations in negations", property(tower(3_000))],
    ["patterns", object({ properties: named(4_000, (n) => ({ type: "string", pattern: `^a{${n}}` })) })],
    ["values to choose from", property({ enum: times(20_000, (n) => `value ${n}`) })],
    ["references that double", doubling],
    ["repetitions in a pattern", property({ type: "string", pattern: "(?:a{0,999}){0,999}".repeat(999) })],
  ];

  it.each(large)("is usable or not, in bounded time: %s", async (_, schema) => {
    let problem: unknown;
    const stall = await longestStall(async () => {
      problem = await schemas.firstProblem([{ schema }]);
      await schemas.firstProblem([{ schema, value: { a: "a" } }]);
    });
    if (problem !== null) {
      expect(problem).toEqual({
        index: 0,
        problem: expect.stringMatching(/too long|too much memory|nests too deeply|regular expression/),
      });
    }
    expect(stall).toBeLessThan(800);
  });
});

describe("checks", () => {
  it.each([
    ["in the heap", { schema: {}, value: times(16_000, () => times(1_000, () => ({}))) }],
    ["in a schema", { schema: property(nested(15)) }],
  ])("that take too much memory are a problem, and the process lives: %s", async (_, check) => {
    const generous = createSchemas({ cpuMs: 60_000 });
    expect(await generous.firstProblem([check])).toEqual({
      index: 0,
      problem: expect.stringContaining("validation took too much memory"),
    });
    expect(await generous.firstProblem([{ schema: {}, value: 1 }])).toBeNull();
    generous.close();
  });

  it("of a schema that is only large find nothing wrong with it", async () => {
    const schema = {
      type: "object",
      properties: named(1_200, (n) => ({ type: "string", minLength: 1, pattern: `^[a-z]+-${n}$` })),
    };
    expect(JSON.stringify(schema).length).toBeGreaterThan(80_000);
    const normal = createSchemas();
    expect(await normal.firstProblem([{ schema }])).toBeNull();
    expect(await normal.firstProblem([{ schema, value: { name7: "a-7" } }])).toBeNull();
    normal.close();
  });

  it("cost little more than the way there and back", async () => {
    const check = { schema: property({ type: "string", minLength: 1 }), value: { a: "text" } };
    await schemas.firstProblem([check]);
    const started = performance.now();
    for (let n = 0; n < 100; n += 1) expect(await schemas.firstProblem([check])).toBeNull();
    expect((performance.now() - started) / 100).toBeLessThan(2);
  });

  it("reject when no process can start, with what to look for", async () => {
    const missing = createSchemas({ workerUrl: new URL("./missing-worker.mjs", import.meta.url) });
    await expect(missing.firstProblem([{ schema: {} }])).rejects.toThrow(
      /Schema workers cannot start: is .*missing-worker\.mjs there and whole\?/,
    );
  });
});
