import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../contract/json.ts";
import type { FunctionTool } from "../../contract/schemas/tools.ts";
import { findFunction } from "../../core/tools/functions.ts";
import { scriptTool } from "../../core/tools/script-tool.ts";

const object = (rest: JsonObject = {}): JsonObject => ({ type: "object", ...rest });
const text = { type: "string" };

const tool = (parameters: JsonObject): FunctionTool => ({
  type: "function",
  name: "get_customer",
  description: "Look up a customer.",
  parameters,
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

  test("tells the model to await its calls", () => {
    expect(scriptTool([]).description).toContain("Await every call");
  });

  test("says that there are none", () => {
    expect(scriptTool([]).description).toMatch(/No tools are available\.$/);
  });
});
