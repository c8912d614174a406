import type { Json } from "../../contract/json.ts";
import { type Agent, AgentConfig, type AgentVersion } from "../../contract/schemas/agents.ts";
import type { NewVersion, StoredAgent, StoredAgentVersion } from "../ports/catalog.ts";
import { timestamp } from "../ports/clock.ts";
import { checkConfig } from "./agent-config.ts";
import { decodeCursor, positions } from "./cursor.ts";
import { notFound } from "./error.ts";
import { mint } from "./ids.ts";
import type { ApiPorts, Operation } from "./operation.ts";
import { pageOf } from "./page.ts";

/** post_agents */
export const createAgent: Operation<"post_agents"> = async (ports, { projectId, body }, keep) => {
  const answer = (agent: StoredAgent) => ({ status: 201, body: present(agent) });
  await checkConfig(ports, projectId, body.config);
  const { id, at } = mint(ports, "agt");
  const agent = await ports.catalog.createAgent(
    projectId,
    { id, name: body.name },
    version(ports, projectId, body.config, at),
    (created) => keep(answer(created)),
  );
  return answer(agent);
};

/** get_agents */
export const listAgents: Operation<"get_agents"> = async (ports, { projectId, query }) => {
  const scope = { operation: "get_agents" };
  const before = decodeCursor(scope, query.cursor, positions.id);
  const found = await ports.catalog.listAgents(projectId, before, query.limit);
  const view = {
    place: ({ id }: StoredAgent) => id,
    present: (items: readonly StoredAgent[]) => items.map(present),
  };
  return { status: 200, body: await pageOf(scope, found, view) };
};

/** get_agents_agent_id */
export const getAgent: Operation<"get_agents_agent_id"> = async (ports, { projectId, params }) => {
  const agent = await ports.catalog.agent(projectId, params.agent_id);
  if (agent === null) throw notFound("agent");
  return { status: 200, body: present(agent) };
};

/** patch_agents_agent_id */
export const renameAgent: Operation<"patch_agents_agent_id"> = async (ports, { projectId, params, body }) => {
  const agent = await ports.catalog.renameAgent(projectId, params.agent_id, body.name);
  if (agent === null) throw notFound("agent");
  return { status: 200, body: present(agent) };
};

/** delete_agents_agent_id: sessions keep the configuration that they copied. */
export const deleteAgent: Operation<"delete_agents_agent_id"> = async (ports, { projectId, params }) => {
  if (!(await ports.catalog.deleteAgent(projectId, params.agent_id))) throw notFound("agent");
  return { status: 204 };
};

/** post_agents_agent_id_versions */
export const createVersion: Operation<"post_agents_agent_id_versions"> = async (ports, request, keep) => {
  const { projectId, params, body } = request;
  if ((await ports.catalog.agent(projectId, params.agent_id)) === null) throw notFound("agent");
  await checkConfig(ports, projectId, body.config);
  const answer = (created: StoredAgentVersion) => ({ status: 201, body: versionOf(created, body.config) });
  const created = await ports.catalog.createVersion(
    projectId,
    params.agent_id,
    version(ports, projectId, body.config, timestamp(ports.clock)),
    (stored) => keep(answer(stored)),
  );
  if (created === null) throw notFound("agent");
  return answer(created);
};

/** get_agents_agent_id_versions_version */
export const getVersion: Operation<"get_agents_agent_id_versions_version"> = async (
  ports,
  { projectId, params },
) => {
  const found = await ports.catalog.version(projectId, params.agent_id, params.version);
  if (found === null) throw notFound("agent version");
  return { status: 200, body: await presentVersion(ports, found) };
};

function version(ports: ApiPorts, projectId: string, config: AgentConfig, createdAt: string): NewVersion {
  const { payload, upload } = ports.configs.stow(projectId, config as unknown as Json);
  return { config: payload, upload, createdAt };
}

function present(agent: StoredAgent): Agent {
  return { id: agent.id, name: agent.name, latest_version: agent.latestVersion, created_at: agent.createdAt };
}

async function presentVersion(ports: ApiPorts, stored: StoredAgentVersion): Promise<AgentVersion> {
  return versionOf(stored, AgentConfig.parse(await ports.configs.fetch(stored.config)));
}

function versionOf({ agentId, version, createdAt }: StoredAgentVersion, config: AgentConfig): AgentVersion {
  return { agent_id: agentId, version, config, created_at: createdAt };
}
