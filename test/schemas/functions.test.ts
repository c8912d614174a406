import { afterAll, describe, expect, test } from "vitest";
import { createSchemas } from "../../adapters/schemas/schemas.ts";
import type { Json, JsonObject } from "../../contract/json.ts";
import type { FunctionTool } from "../../contract/schemas/tools.ts";
import { parametersProblem } from "../../core/api/function-schema.ts";
import { argumentProblem as problemOf } from "../../core/tools/functions.ts";

const schemas = createSchemas();
afterAll(() => schemas.close());

const object = (rest: JsonObject = {}): JsonObject => ({ type: "object", ...rest });
const property = (schema: JsonObject): JsonObject => object({ properties: { a: schema } });
const text = { type: "string" };
const outside = "https://example.com/schema.json";

const tool = (parameters: JsonObject): FunctionTool => ({
  type: "function",
  name: "get_customer",
  description: "Look up a customer.",
  parameters,
});

const schemaProblem = async (...all: readonly JsonObject[]): Promise<string | null> =>
  (await parametersProblem(schemas, all.map(tool)))?.problem ?? null;

const argumentProblem = (of: FunctionTool, value: Json): Promise<string | null> =>
  problemOf(schemas, [{ tool: of, arguments: value }]);

describe("a schema of a function's arguments is usable", () => {
  test.each<[string, JsonObject]>([
    ["with nothing but its type", object()],
    ["with a reference into itself", { ...property({ $ref: "#/$defs/a" }), $defs: { a: text } }],
    [
      "with a reference to an anchor",
      { ...property({ $ref: "#a" }), $defs: { a: { ...text, $anchor: "a" } } },
    ],
    ["that refers to its root", property({ $ref: "#" })],
    ["with an id", object({ $id: "https://example.com/customer" })],
    ["with an id inside", object({ $defs: { a: { ...text, $id: "https://example.com/a" } } })],
    ["with the draft's own $schema", object({ $schema: "https://json-schema.org/draft/2020-12/schema" })],
    [
      "with keywords and formats that nobody knows",
      property({ ...text, format: "phone", "x-widget": "area" }),
    ],
    ["with a property called $ref", object({ properties: { $ref: text, $id: text, const: text } })],
    ["with a reference that is data of const", property({ const: { $ref: outside, $id: "?" } })],
    ["with a reference that is data of enum", property({ enum: [{ $ref: outside, $id: "?" }] })],
    ["with a reference that is data of default", property({ default: { $ref: outside, $id: "?" } })],
    ["with a reference that is data of examples", property({ examples: [{ $ref: outside, $id: "?" }] })],
  ])("%s", async (_, schema) => {
    expect(await schemaProblem(schema)).toBeNull();
  });

  test("twice with one id, in two agents", async () => {
    const schema = () => object({ $id: "https://example.com/customer", properties: { a: text } });
    expect(await schemaProblem(schema(), schema())).toBeNull();
  });
});

describe("a schema cannot be used", () => {
  test.each<[string, JsonObject]>([
    ["that refers outside", property({ $ref: outside })],
    [
      "that refers to the draft's own schemas",
      property({ $ref: "https://json-schema.org/draft/2020-12/schema" }),
    ],
    ["that refers outside where nothing refers to", object({ $defs: { unused: { $ref: outside } } })],
    ["that refers outside in a property called const", object({ properties: { const: { $ref: outside } } })],
    ["that refers to nothing", property({ $ref: "#/$defs/missing" })],
    [
      "that refers to nothing where nothing refers to",
      object({ $defs: { unused: { $ref: "#/$defs/missing" } } }),
    ],
    ["with a broken regular expression", property({ ...text, pattern: "(" })],
    ["with a broken one where nothing refers to", object({ $defs: { unused: { ...text, pattern: "[" } } })],
    ["with a broken one as a property's name", object({ patternProperties: { "(": text } })],
    ["with an unknown type", property({ type: "text" })],
    ["with a negative length", property({ ...text, minLength: -1 })],
    ["with names that are no list", object({ required: "a" })],
    ["with properties that are a list", object({ properties: [] })],
    ["with a reference that is no text", property({ $ref: 5 })],
    ["that makes its check asynchronous", object({ $async: true })],
    ["of an older draft", object({ $schema: "http://json-schema.org/draft-07/schema#" })],
    [
      "that refers in a circle",
      { ...object({ $ref: "#/$defs/a" }), $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
    ],
  ])("%s", async (_, schema) => {
    const problem = await schemaProblem(schema);
    expect(problem).not.toBeNull();
    expect(problem?.length).toBeLessThanOrEqual(300);
  });
});

describe("arguments", () => {
  const customer = tool(
    object({ properties: { id: { ...text, minLength: 1 } }, required: ["id"], additionalProperties: false }),
  );

  test("that satisfy the schema have no problem", async () => {
    expect(await argumentProblem(customer, { id: "c1" })).toBeNull();
  });

  test.each([
    ["a missing property", {}, "get_customer: the arguments must have required property 'id'"],
    ["a wrong type", { id: 5 }, "get_customer: /id must be string"],
    ["one too many", { id: "c1", x: 1 }, "get_customer: the arguments must NOT have additional properties"],
    ["no object", [], "get_customer: the arguments must be object"],
  ])("with %s have one that says where", async (_, value, problem) => {
    expect(await argumentProblem(customer, value)).toBe(problem);
  });

  test.each(["constructor", "toString", "__proto__"])(
    "are asked for %s as for any other property",
    async (name) => {
      const named = (rest: JsonObject) => tool(object({ properties: { [name]: text }, ...rest }));
      expect(await argumentProblem(named({}), {})).toBeNull();
      expect(await argumentProblem(named({ required: [name] }), {})).toBe(
        `get_customer: the arguments must have required property '${name}'`,
      );
      expect(await argumentProblem(named({ required: [name] }), { [name]: "x" })).toBeNull();
    },
  );

  test("are named in few words, however long they are", async () => {
    const deep = tool(object({ additionalProperties: text }));
    const problem = await argumentProblem(deep, { ["k".repeat(100_000)]: 5 });
    expect(problem?.length).toBe(500);
  });

  test("against a schema that refers to itself without end have a problem, and do not end the process", async () => {
    expect(await argumentProblem(tool(object({ $ref: "#" })), { a: 1 })).toContain("get_customer");
  });

  test("of a batch have the problem of the first call that has one", async () => {
    const batch = [{ id: "c1" }, { id: 5 }, {}].map((value) => ({ tool: customer, arguments: value }));
    expect(await problemOf(schemas, batch)).toBe("get_customer: /id must be string");
    expect(await problemOf(schemas, [])).toBeNull();
  });
});
