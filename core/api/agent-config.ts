import { configBytes } from "../../contract/answer-size.ts";
import { modelSpec } from "../../contract/models.ts";
import type { AgentConfig } from "../../contract/schemas/agents.ts";
import { type AgentTool, BuiltinTool } from "../../contract/schemas/tools.ts";
import { checkDeliverable } from "./deliverable.ts";
import { ApiError, notFound } from "./error.ts";
import { parametersProblem } from "./function-schema.ts";
import { couldExist } from "./ids.ts";
import type { ApiPorts } from "./operation.ts";

/** Checks what a schema cannot: the model, the key and its provider, the tools (post_agents). */
export async function checkConfig(ports: ApiPorts, projectId: string, config: AgentConfig): Promise<void> {
  const spec = modelSpec(config.model);
  if (spec === null) throw new ApiError("invalid_model");
  checkDeliverable("The configuration", config, configBytes);
  await checkTools(ports, config.tools);
  const keyId = config.model_api_key_id;
  const key = couldExist(keyId) ? await ports.catalog.modelKey(projectId, keyId) : null;
  if (key === null) throw notFound("model API key");
  if (key.provider !== spec.provider) throw new ApiError("model_api_key_provider_mismatch");
}

async function checkTools({ schemas }: ApiPorts, tools: readonly AgentTool[]): Promise<void> {
  const builtins: readonly string[] = BuiltinTool.options;
  const functions = tools.filter((tool) => typeof tool !== "string");
  const names = functions.map((tool) => tool.name);
  if (new Set(names).size < names.length || names.some((name) => builtins.includes(name))) {
    throw new ApiError("invalid_tools");
  }
  const found = await parametersProblem(schemas, functions);
  if (found === null) return;
  throw new ApiError("invalid_schema", `The parameters of ${names[found.index]}: ${found.problem}`);
}
