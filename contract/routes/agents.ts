/** Agents and their versions. */
import * as z from "zod";
import { IdempotencyHeaders, integerParameter, PageQuery } from "../parameters.ts";
import {
  Agent,
  AgentList,
  AgentVersion,
  CreateAgent,
  CreateAgentVersion,
  UpdateAgent,
} from "../schemas/agents.ts";
import { AgentId } from "../schemas/common.ts";
import { always, idempotent, jsonBody, one, page, type Route, usual } from "./route.ts";

const agent = z.object({ agent_id: AgentId });
const agentVersion = z.object({ agent_id: AgentId, version: integerParameter(1) });
const config = [
  "invalid_model",
  "model_api_key_provider_mismatch",
  "invalid_tools",
  "invalid_schema",
  "not_found",
] as const;

export const agentRoutes = {
  post_agents: {
    operationId: "post_agents",
    method: "POST",
    path: "/agents",
    tag: "Agents",
    auth: "project",
    summary: "Create an agent",
    description:
      "Makes an agent with version 1. What a version says never changes; make a new version instead.",
    headers: IdempotencyHeaders,
    body: CreateAgent,
    bodyType: "json",
    success: [{ status: 201, description: "The agent.", schema: Agent }],
    errors: [...idempotent, ...jsonBody, ...config, ...usual],
  },
  get_agents: {
    operationId: "get_agents",
    method: "GET",
    path: "/agents",
    tag: "Agents",
    auth: "project",
    summary: "List agents",
    description: "The project's agents, newest first.",
    query: PageQuery,
    bodyType: "none",
    success: [{ status: 200, description: "A page of agents.", schema: AgentList }],
    errors: [...page, "not_found", ...usual],
  },
  patch_agents_agent_id: {
    operationId: "patch_agents_agent_id",
    method: "PATCH",
    path: "/agents/{agent_id}",
    tag: "Agents",
    auth: "project",
    summary: "Rename an agent",
    params: agent,
    body: UpdateAgent,
    bodyType: "json",
    success: [{ status: 200, description: "The agent under its new name.", schema: Agent }],
    errors: [...one, ...jsonBody, ...always],
  },
  delete_agents_agent_id: {
    operationId: "delete_agents_agent_id",
    method: "DELETE",
    path: "/agents/{agent_id}",
    tag: "Agents",
    auth: "project",
    summary: "Delete an agent",
    description: "Takes the agent and its versions away from new sessions. Sessions that exist go on.",
    params: agent,
    bodyType: "none",
    success: [{ status: 204, description: "The agent is gone.", schema: null }],
    errors: [...one, ...always],
  },
  get_agents_agent_id: {
    operationId: "get_agents_agent_id",
    method: "GET",
    path: "/agents/{agent_id}",
    tag: "Agents",
    auth: "project",
    summary: "Read an agent",
    params: agent,
    bodyType: "none",
    success: [{ status: 200, description: "The agent.", schema: Agent }],
    errors: [...one, ...usual],
  },
  post_agents_agent_id_versions: {
    operationId: "post_agents_agent_id_versions",
    method: "POST",
    path: "/agents/{agent_id}/versions",
    tag: "Agents",
    auth: "project",
    summary: "Create an agent version",
    description:
      "Adds the next version, from a whole configuration. Sessions keep the version they began with.",
    params: agent,
    headers: IdempotencyHeaders,
    body: CreateAgentVersion,
    bodyType: "json",
    success: [{ status: 201, description: "The version.", schema: AgentVersion }],
    errors: [...idempotent, ...jsonBody, ...config, ...usual],
  },
  get_agents_agent_id_versions_version: {
    operationId: "get_agents_agent_id_versions_version",
    method: "GET",
    path: "/agents/{agent_id}/versions/{version}",
    tag: "Agents",
    auth: "project",
    summary: "Read an agent version",
    params: agentVersion,
    bodyType: "none",
    success: [{ status: 200, description: "The version.", schema: AgentVersion }],
    errors: [...one, ...usual],
  },
} as const satisfies Record<string, Route>;
