/** A request of every served operation that is accepted, for others to be one step away from. */
import type { OperationId } from "../../../contract/routes.ts";
import { agentConfig, settledOutput, type World } from "./world.ts";

/** The parts of a request: parameters fill the braces of the route's path. */
export type Parts = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
};

export const validRequests = {
  post_api_keys: () => ({ body: { name: "spare" } }),
  get_api_keys: () => ({}),
  delete_api_keys_api_key_id: (w) => ({ params: { api_key_id: w.apiKey } }),
  post_model_api_keys: () => ({
    body: { name: "spare", provider: "openai", key: "sk-test-0123456789abcdef" },
  }),
  get_model_api_keys: () => ({}),
  get_model_api_keys_model_api_key_id: (w) => ({ params: { model_api_key_id: w.openaiKey } }),
  delete_model_api_keys_model_api_key_id: (w) => ({ params: { model_api_key_id: w.openaiKey } }),
  post_agents: (w) => ({ body: { name: "an agent", config: agentConfig(w.openaiKey) } }),
  get_agents: () => ({}),
  get_agents_agent_id: (w) => ({ params: { agent_id: w.agent } }),
  patch_agents_agent_id: (w) => ({ params: { agent_id: w.agent }, body: { name: "another name" } }),
  delete_agents_agent_id: (w) => ({ params: { agent_id: w.agent } }),
  post_agents_agent_id_versions: (w) => ({
    params: { agent_id: w.agent },
    body: { config: agentConfig(w.openaiKey) },
  }),
  get_agents_agent_id_versions_version: (w) => ({ params: { agent_id: w.agent, version: "1" } }),
  post_sessions: (w) => ({
    body: { agent: { id: w.agent }, subject_id: "tenant/user", environment: { type: "none" } },
  }),
  get_sessions: () => ({}),
  get_sessions_session_id: (w) => ({ params: { session_id: w.session } }),
  delete_sessions_session_id: (w) => ({ params: { session_id: w.idle } }),
  post_sessions_session_id_stop: (w) => ({ params: { session_id: w.session }, body: { run_id: w.endedRun } }),
  post_sessions_session_id_pause: (w) => ({ params: { session_id: w.idle } }),
  post_sessions_session_id_resume: (w) => ({ params: { session_id: w.idle } }),
  post_sessions_session_id_archive: (w) => ({ params: { session_id: w.archived } }),
  post_sessions_session_id_inputs: (w) => ({
    params: { session_id: w.idle },
    body: { mode: "queue", content: [{ type: "text", text: "Hello" }] },
  }),
  get_sessions_session_id_inputs: (w) => ({ params: { session_id: w.session } }),
  get_sessions_session_id_inputs_input_id: (w) => ({
    params: { session_id: w.session, input_id: w.input },
  }),
  delete_sessions_session_id_inputs_input_id: (w) => ({
    params: { session_id: w.session, input_id: w.cancelledInput },
  }),
  get_sessions_session_id_runs: (w) => ({ params: { session_id: w.session } }),
  get_sessions_session_id_runs_run_id: (w) => ({ params: { session_id: w.session, run_id: w.endedRun } }),
  get_sessions_session_id_usage: (w) => ({ params: { session_id: w.session } }),
  get_sessions_session_id_events: (w) => ({ params: { session_id: w.session } }),
  get_sessions_session_id_events_stream: (w) => ({ params: { session_id: w.session } }),
  post_sessions_session_id_tool_results: (w) => ({
    params: { session_id: w.session },
    // The result that was accepted before: sending it again changes nothing.
    body: {
      run_id: w.endedRun,
      results: [{ call_id: w.settledCall, success: true, output: settledOutput }],
    },
  }),
} as const satisfies { readonly [Id in OperationId]?: (world: World) => Parts };

export type ServedId = keyof typeof validRequests;
export const servedIds = Object.keys(validRequests) as ServedId[];
export const validRequest = (id: ServedId, world: World): Parts => validRequests[id](world);
