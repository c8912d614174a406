import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../contract/json.ts";
import type { FunctionTool } from "../../contract/schemas/tools.ts";
import { schemaProblem } from "../../core/api/function-schema.ts";
import { argumentProblem, findFunction } from "../../core/tools/functions.ts";
import { scriptTool } from "../../core/tools/script-tool.ts";

const object = (rest: JsonObject = {}): JsonObject => ({ type: "object", ...rest });
const property = (schema: JsonObject): JsonObject => object({ properties: { a: schema } });
const text = { type: "string" };
const outside = "https://example.com/schema.json";

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
  ])("%s", (_, schema) => {
    expect(schemaProblem(schema)).toBeNull();
  });

  test("twice with one id, in two agents", () => {
    const schema = () => object({ $id: "https://example.com/customer", properties: { a: text } });
    expect([schemaProblem(schema()), schemaProblem(schema())]).toEqual([null, null]);
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
  ])("%s", (_, schema) => {
    const problem = schemaProblem(schema);
    expect(problem).not.toBeNull();
    expect(problem?.length).toBeLessThanOrEqual(300);
  });
});

const tool = (parameters: JsonObject): FunctionTool => ({
  type: "function",
  name: "get_customer",
  description: "Look up a customer.",
  parameters,
});

describe("arguments", () => {
  const customer = tool(
    object({ properties: { id: { ...text, minLength: 1 } }, required: ["id"], additionalProperties: false }),
  );

  test("that satisfy the schema have no problem", () => {
    expect(argumentProblem(customer, { id: "c1" })).toBeNull();
  });

  test.each([
    ["a missing property", {}, "get_customer: the arguments must have required property 'id'"],
    ["a wrong type", { id: 5 }, "get_customer: /id must be string"],
    ["one too many", { id: "c1", x: 1 }, "get_customer: the arguments must NOT have additional properties"],
    ["no object", [], "get_customer: the arguments must be object"],
  ])("with %s have one that says where", (_, value, problem) => {
    expect(argumentProblem(customer, value)).toBe(problem);
  });

  test.each(["constructor", "toString", "__proto__"])(
    "are asked for %s as for any other property",
    (name) => {
      const named = (rest: JsonObject) => tool(object({ properties: { [name]: text }, ...rest }));
      expect(argumentProblem(named({}), {})).toBeNull();
      expect(argumentProblem(named({ required: [name] }), {})).toBe(
        `get_customer: the arguments must have required property '${name}'`,
      );
      expect(argumentProblem(named({ required: [name] }), { [name]: "x" })).toBeNull();
    },
  );

  test("are named in few words, however long they are", () => {
    const deep = tool(object({ additionalProperties: text }));
    const problem = argumentProblem(deep, { ["k".repeat(100_000)]: 5 });
    expect(problem?.length).toBe(500);
  });

  test("against a schema that refers to itself without end have a problem, and do not end the process", () => {
    expect(argumentProblem(tool(object({ $ref: "#" })), { a: 1 })).toContain("get_customer");
  });
});

test("finds a function by its name, and no built-in", () => {
  const customer = tool(object());
  expect(findFunction(["shell", customer], "get_customer")).toBe(customer);
  expect(findFunction(["shell", customer], "shell")).toBeNull();
  expect(findFunction([], "get_customer")).toBeNull();
});

describe("the model's one tool", () => {
  const tools = () => [
    "shell" as const,
    tool(object({ properties: { b: text, a: text } })),
    { ...tool(object()), name: "other", description: "Another." },
  ];

  test("is the same bytes for the same tools", () => {
    expect(JSON.stringify(scriptTool(tools()))).toBe(JSON.stringify(scriptTool(tools())));
  });

  test("lists the functions in their order, with their schemas as declared", () => {
    const { name, description, parameters } = scriptTool(tools());
    expect(name).toBe("run_javascript");
    expect(description).toContain(
      'Available tools:\n- tools.get_customer(args): Look up a customer.\n  args: {"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"}}}\n- tools.other(args): Another.',
    );
    expect(parameters).toMatchObject({ required: ["source"], additionalProperties: false });
  });

  test("says that there are none", () => {
    expect(scriptTool([]).description).toMatch(/No tools are available\.$/);
  });
});
