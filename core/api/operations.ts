import * as z from "zod";
import { IdempotencyHeaders } from "../../contract/parameters.ts";
import type { OperationId } from "../../contract/routes.ts";
import * as agents from "./agents.ts";
import * as apiKeys from "./api-keys.ts";
import * as controls from "./controls.ts";
import { deleteSession } from "./delete-session.ts";
import * as events from "./events.ts";
import { unlessGone } from "./gone.ts";
import { keepNothing, once } from "./idempotency.ts";
import * as inputs from "./inputs.ts";
import * as modelKeys from "./model-keys.ts";
import type { ApiPorts, ApiRequest, ApiResponse, Operation } from "./operation.ts";
import * as runs from "./runs.ts";
import * as sessions from "./sessions.ts";
import * as toolResults from "./tool-results.ts";
import { listUsage } from "./usage.ts";

/** Every operation that is served in one piece, by its id. Routes without one here are not served. */
const operations: { readonly [Id in OperationId]?: Operation<Id> } = {
  post_api_keys: apiKeys.createApiKey,
  get_api_keys: apiKeys.listApiKeys,
  delete_api_keys_api_key_id: apiKeys.deleteApiKey,
  post_model_api_keys: modelKeys.createModelKey,
  get_model_api_keys: modelKeys.listModelKeys,
  get_model_api_keys_model_api_key_id: modelKeys.getModelKey,
  delete_model_api_keys_model_api_key_id: modelKeys.deleteModelKey,
  post_agents: agents.createAgent,
  get_agents: agents.listAgents,
  get_agents_agent_id: agents.getAgent,
  patch_agents_agent_id: agents.renameAgent,
  delete_agents_agent_id: agents.deleteAgent,
  post_agents_agent_id_versions: agents.createVersion,
  get_agents_agent_id_versions_version: agents.getVersion,
  post_sessions: sessions.createSession,
  get_sessions: sessions.listSessions,
  get_sessions_session_id: sessions.getSession,
  delete_sessions_session_id: deleteSession,
  post_sessions_session_id_stop: controls.stopRun,
  post_sessions_session_id_pause: controls.pauseSession,
  post_sessions_session_id_resume: controls.resumeSession,
  post_sessions_session_id_archive: controls.archiveSession,
  post_sessions_session_id_inputs: inputs.sendInput,
  get_sessions_session_id_inputs: inputs.listInputs,
  get_sessions_session_id_inputs_input_id: inputs.getInput,
  delete_sessions_session_id_inputs_input_id: inputs.cancelInput,
  get_sessions_session_id_runs: runs.listRuns,
  get_sessions_session_id_runs_run_id: runs.getRun,
  get_sessions_session_id_usage: listUsage,
  get_sessions_session_id_events: events.listEvents,
  post_sessions_session_id_tool_results: toolResults.submitToolResults,
};

/** The stream is served by a function of its own. */
export const streamOperation = "get_sessions_session_id_events_stream" satisfies OperationId;

export const isServed = (id: OperationId): boolean => id === streamOperation || operations[id] !== undefined;

/** Runs an operation on a request that was checked against its route. */
export function runOperation<Id extends OperationId>(
  id: Id,
  ports: ApiPorts,
  request: ApiRequest<Id>,
): Promise<ApiResponse> {
  const operation = operations[id];
  if (operation === undefined) throw new Error(`${id} is not served here`);
  const key = keyOf(request.headers);
  const params = Params.parse(request.params ?? {});
  const { projectId, sent = null } = request;
  const serve = () =>
    key === undefined
      ? operation(ports, request, keepNothing)
      : once(ports, { projectId, operationId: id, params, key, body: sent }, (keep) =>
          operation(ports, request, keep),
        );
  const sessionId = params["session_id"];
  return sessionId === undefined ? serve() : unlessGone(ports.store, sessionId, serve);
}

/** Everything in a path but a version's number is text. */
const Params = z.record(z.string(), z.coerce.string());

/** The request's Idempotency-Key, on operations that take one. */
const keyOf = (headers: unknown): string | undefined =>
  IdempotencyHeaders.parse(headers ?? {})["idempotency-key"];
