/** Agents and their versions. */
import * as z from "zod";
import { AgentId, ModelApiKeyId, pageOf, Timestamp, text, uniqueArray, VisiblePattern } from "./common.ts";
import { AgentTool } from "./tools.ts";

const version = z.int().min(1);

export const AgentConfig = z
  .strictObject({
    // Any text fits: a name that is not registered is the operation's `invalid_model`.
    model: z.string().min(1).describe("A registered model, written openai/NAME or anthropic/NAME."),
    model_api_key_id: ModelApiKeyId.describe(
      "A stored key of the model's provider. Each run looks it up when it starts.",
    ),
    instructions: z.string().describe("The agent's standing instructions."),
    // Two functions of one name fit when they differ elsewhere: that is the operation's `invalid_tools`.
    tools: uniqueArray(AgentTool).default([]).describe("All that the agent may call."),
  })
  .describe("Model, key, instructions and tools of one agent version.");
export type AgentConfig = z.infer<typeof AgentConfig>;

export const CreateAgent = z
  .strictObject({ name: text(1, 120), config: AgentConfig })
  .describe("A new agent with its first version.");
export type CreateAgent = z.infer<typeof CreateAgent>;

export const UpdateAgent = z
  .strictObject({ name: text(1, 120).regex(VisiblePattern) })
  .describe("An agent's new name.");
export type UpdateAgent = z.infer<typeof UpdateAgent>;

export const CreateAgentVersion = z
  .strictObject({ config: AgentConfig })
  .describe("The whole configuration of the next version; nothing is taken over from the one before.");
export type CreateAgentVersion = z.infer<typeof CreateAgentVersion>;

export const Agent = z
  .strictObject({ id: AgentId, name: z.string().min(1), latest_version: version, created_at: Timestamp })
  .describe("An agent's name and newest version number.");
export type Agent = z.infer<typeof Agent>;

export const AgentVersion = z
  .strictObject({ agent_id: AgentId, version, config: AgentConfig, created_at: Timestamp })
  .describe("One version of an agent; it never changes.");
export type AgentVersion = z.infer<typeof AgentVersion>;

export const AgentSelection = z
  .strictObject({ id: AgentId, version: version.optional() })
  .describe("The agent of a new session; without a version, its newest one at that moment.");
export type AgentSelection = z.infer<typeof AgentSelection>;

export const ResolvedAgent = z
  .strictObject({ id: AgentId, version })
  .describe("The agent version a session keeps.");
export type ResolvedAgent = z.infer<typeof ResolvedAgent>;

export const AgentList = pageOf(Agent).describe("A page of agents.");
export type AgentList = z.infer<typeof AgentList>;
