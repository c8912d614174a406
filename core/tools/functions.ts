import type { Json, JsonObject } from "../../contract/json.ts";
import type { AgentTool, FunctionTool } from "../../contract/schemas/tools.ts";
import type { Schemas } from "../ports/schemas.ts";

export type FunctionCall = { readonly tool: FunctionTool; readonly arguments: Json };

/** Why the arguments of one of these calls do not satisfy its function's schema, or null. At most 500 characters. */
export async function argumentProblem(
  schemas: Schemas,
  calls: readonly FunctionCall[],
): Promise<string | null> {
  const checks = calls.map(({ tool, arguments: value }) => ({
    schema: tool.parameters as JsonObject,
    value,
  }));
  const found = await schemas.firstProblem(checks);
  if (found === null) return null;
  return `${calls[found.index]?.tool.name}: ${found.problem}`.slice(0, 500);
}

/** The application function of that name that an agent declares, or null. */
export function findFunction(tools: readonly AgentTool[], name: string): FunctionTool | null {
  return tools.find((tool): tool is FunctionTool => typeof tool !== "string" && tool.name === name) ?? null;
}
