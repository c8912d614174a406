import type { JsonObject } from "../../contract/json.ts";
import type { AgentTool } from "../../contract/schemas/tools.ts";
import type { ToolDefinition } from "../ports/model.ts";

const NAME = "run_javascript";

const PARAMETERS: JsonObject = {
  type: "object",
  properties: { source: { type: "string", description: "The body of an async JavaScript function." } },
  required: ["source"],
  additionalProperties: false,
};

const INTRODUCTION = `Runs JavaScript as the body of an async function and gives you what it printed and returned.
Call tools with \`await tools.<name>(args)\`; a failed call throws an Error with a code and a message that you can catch.
Await every call: one that is not awaited is requested, but you never see its result, and it is cancelled if it is still open when you finish.
Use Promise.all for calls that do not depend on each other. Print with print(...) and return a JSON value.
store(key, value) and load(key) keep JSON values for later scripts of this conversation.
There is no file system, network, import or timer.`;

/** The one tool that every model gets (post_agents, "Tools"). The same tools give the same bytes. */
export function scriptTool(tools: readonly AgentTool[]): ToolDefinition {
  const functions = tools.filter((tool) => typeof tool !== "string");
  const list = functions.map(
    (tool) => `- tools.${tool.name}(args): ${tool.description}\n  args: ${JSON.stringify(tool.parameters)}`,
  );
  const available = list.length === 0 ? "No tools are available." : `Available tools:\n${list.join("\n")}`;
  return { name: NAME, description: `${INTRODUCTION}\n\n${available}`, parameters: PARAMETERS };
}
