/** Refusals of model keys and agents. */

import { badBodies, type Case, changed, fewOf, nested, withBody } from "./case.ts";
import type { ServedId } from "./valid.ts";
import { agentConfig, modelWithoutImages, type World } from "./world.ts";

const keys: readonly Case[] = badBodies("post_model_api_keys", {
  "no name": { name: undefined },
  "no provider": { provider: undefined },
  "no key": { key: undefined },
  "an empty name": { name: "" },
  "a blank name": { name: " \t " },
  "a name of 101 characters": { name: "😀".repeat(101) },
  "a name that is a number": { name: 1 },
  "NUL in the name": { name: "a\0b" },
  "an unknown provider": { provider: "google" },
  "a provider in capitals": { provider: "OpenAI" },
  "a key of 8 characters": { key: "sk-12345" },
  "a key of 4,097 characters": { key: "k".repeat(4_097) },
  "a key with a space": { key: "sk-test 0123456789" },
  "a key with a line break": { key: "sk-test-0123456789\n" },
  "a key beyond ASCII": { key: "sk-test-0123456789é" },
  "a key that is null": { key: null },
});

const apiKeys: readonly Case[] = badBodies("post_api_keys", {
  "no name": { name: undefined },
  "an empty name": { name: "" },
  "a blank name": { name: " \t\n" },
  "a name of 101 characters": { name: "😀".repeat(101) },
  "a name that is null": { name: null },
  "a name that is a list": { name: ["a"] },
  "NUL in the name": { name: "a\0b" },
  "a secret of one's own": { secret: "stepyard_0123456789" },
  "a project": { project_id: "prj_devother" },
});

const names: readonly Case[] = (["post_agents", "patch_agents_agent_id"] as const).flatMap((operation) =>
  badBodies(operation, {
    "no name": { name: undefined },
    "an empty name": { name: "" },
    "a name of 121 characters": { name: "😀".repeat(121) },
    "a name that is null": { name: null },
    "NUL in the name": { name: "\0" },
  }),
);

const tool = (rest: object = {}) => ({
  type: "function",
  name: "look_up",
  description: "Looks up.",
  parameters: { type: "object" },
  ...rest,
});

const badConfigs: Readonly<Record<string, object>> = {
  "no model": { model: undefined },
  "no model key": { model_api_key_id: undefined },
  "a malformed model key id": { model_api_key_id: "key_1" },
  "no instructions": { instructions: undefined },
  "NUL in the instructions": { instructions: "be\0kind" },
  "an unknown key in the configuration": { temperature: 1 },
  "tools that are null": { tools: null },
  "tools that are an object": { tools: {} },
  "an unknown built-in tool": { tools: ["browser"] },
  "a built-in tool twice": { tools: ["shell", "shell"] },
  "the same function twice": { tools: [tool(), tool()] },
  "a tool of another type": { tools: [tool({ type: "mcp" })] },
  "a function without a name": { tools: [tool({ name: undefined })] },
  "a function name with a dash": { tools: [tool({ name: "look-up" })] },
  "a function name with a digit first": { tools: [tool({ name: "1up" })] },
  "a function name with a line break": { tools: [tool({ name: "look_up\n" })] },
  "a function name of 65 characters": { tools: [tool({ name: "f".repeat(65) })] },
  "a function without a description": { tools: [tool({ description: "" })] },
  "a function without parameters": { tools: [tool({ parameters: undefined })] },
  "parameters of another type": { tools: [tool({ parameters: { type: "array" } })] },
  "parameters without a type": { tools: [tool({ parameters: {} })] },
  "parameters that are true": { tools: [tool({ parameters: true })] },
  "an unknown key in a function": { tools: [tool({ strict: true })] },
  "NUL in a key of parameters": {
    tools: [tool({ parameters: { type: "object", properties: { "a\0": {} } } })],
  },
  "NUL deep in parameters": { tools: [tool({ parameters: { type: "object", enum: [["a\0"]] } })] },
  "parameters of 250 levels": { tools: [tool({ parameters: { type: "object", const: nested(250) } })] },
};

const object = (rest: object) => tool({ parameters: { type: "object", ...rest } });
const property = (schema: unknown) => object({ properties: { a: schema } });

const badSchemas: Readonly<Record<string, object>> = {
  "a reference to another document": property({ $ref: "https://example.com/schema.json" }),
  "a reference to a relative document": property({ $ref: "other.json#/a" }),
  "a reference to the metaschema": property({ $ref: "https://json-schema.org/draft/2020-12/schema" }),
  "a reference by an inner $id": object({ $defs: { b: { $id: "b" } }, properties: { a: { $ref: "b" } } }),
  "a dynamic reference to another document": property({ $dynamicRef: "https://example.com/s#a" }),
  "a reference to nothing": property({ $ref: "#/$defs/nothing" }),
  "a reference to no anchor": property({ $ref: "#nowhere" }),
  "an unused reference to nothing": object({ $defs: { a: { $ref: "#/$defs/nothing" } } }),
  "an unused reference to another document": object({ $defs: { a: { $ref: "https://example.com/a" } } }),
  "a reference that is a number": property({ $ref: 1 }),
  "a broken pattern": property({ type: "string", pattern: "(" }),
  "a pattern that Unicode mode refuses": property({ type: "string", pattern: "^[\\w-\\.]+$" }),
  "a broken pattern of properties": object({ patternProperties: { "[": {} } }),
  "an unused broken pattern": object({ $defs: { a: { items: { pattern: "*" } } } }),
  "an unknown type": property({ type: "text" }),
  "properties that are a list": object({ properties: [] }),
  "a required that is a text": object({ required: "a" }),
  "a negative length": property({ minLength: -1 }),
  "another draft": object({ $schema: "http://json-schema.org/draft-07/schema#" }),
  "an asynchronous schema": object({ $async: true }),
};

const models = [
  "openai/nope",
  "gpt-6.1-sol",
  "OPENAI/gpt-6.1-sol",
  "openai/GPT-6.1-sol",
  "openai/",
  "google/gemini",
  "openai/__proto__",
  "openai/gpt-6.1-sol ",
];

function configs(operation: ServedId): Case[] {
  const withConfig = (code: Case["code"], what: string, rest: object | ((world: World) => object)): Case =>
    changed(operation, code, what, (world, { body }) => ({
      body: {
        ...(body as object),
        config: agentConfig(world.openaiKey, typeof rest === "function" ? rest(world) : rest),
      },
    }));
  const all = [
    ...badBodies(operation, {
      "no configuration": { config: undefined },
      "a null configuration": { config: null },
    }),
    ...Object.entries(badConfigs).map(([what, rest]) => withConfig("invalid_request", what, rest)),
    ...models.map((model) => withConfig("invalid_model", `the model ${model}`, { model })),
    withConfig("model_api_key_provider_mismatch", "Anthropic's key for OpenAI's model", (w) => ({
      model_api_key_id: w.anthropicKey,
    })),
    withConfig("model_api_key_provider_mismatch", "OpenAI's key for Anthropic's model", () => ({
      model: "anthropic/claude-sonnet-5-5",
    })),
    withConfig("invalid_tools", "two functions of one name", {
      tools: [tool(), tool({ description: "Another." })],
    }),
    ...["shell", "read_file", "apply_patch", "view_image", "web_search", "web_fetch"].map((name) =>
      withConfig("invalid_tools", `a function named ${name}`, { tools: [tool({ name })] }),
    ),
    ...Object.entries(badSchemas).map(([what, bad]) => withConfig("invalid_schema", what, { tools: [bad] })),
    withConfig("not_found", "a model key that never was", { model_api_key_id: "mkey_01ARZ3NDEKTSV4" }),
    withConfig("not_found", "an endless model key id", { model_api_key_id: `mkey_${"a".repeat(3_000)}` }),
    withConfig("not_found", "another project's model key", (w) => ({
      model: modelWithoutImages,
      model_api_key_id: w.other.openaiKey,
    })),
  ];
  return operation === "post_agents" ? all : fewOf(all, 3);
}

const ofDeleted: readonly Case[] = (
  [
    "get_agents_agent_id",
    "patch_agents_agent_id",
    "delete_agents_agent_id",
    "post_agents_agent_id_versions",
    "get_agents_agent_id_versions_version",
  ] as const
).map((operation) =>
  changed(operation, "not_found", "a deleted agent", (world, { params }) => ({
    params: { ...params, agent_id: world.agentDeleted },
  })),
);

export const agentCases: readonly Case[] = [
  ...apiKeys,
  ...keys,
  ...names,
  ...configs("post_agents"),
  ...configs("post_agents_agent_id_versions"),
  ...ofDeleted,
  withBody("patch_agents_agent_id", "invalid_request", "a blank name", { name: " " }),
];
