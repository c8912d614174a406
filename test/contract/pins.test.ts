/**
 * Names that clients have written into their programs. When one of these goes red you are about to break them:
 * undo the change; or, if it only adds, add the literal here and tell of it in the release notes.
 */
import { expect, it } from "vitest";
import { errors, extensionErrors } from "../../contract/errors.ts";
import { idPrefixes } from "../../contract/ids.ts";
import { routes } from "../../contract/routes.ts";
import { components, eventTypes } from "../../contract/schemas/index.ts";

// Red: a code was renamed, removed or given another status. Codes are for good; add, never change.
it("keeps every error code with its status", () => {
  const statuses = Object.entries(errors).map(([code, { status }]) => `${status} ${code}`);
  expect(statuses).toEqual([
    "400 invalid_request",
    "400 invalid_json",
    "400 request_too_large",
    "400 invalid_parameter",
    "400 invalid_cursor",
    "400 conflicting_cursor",
    "400 invalid_model",
    "400 model_api_key_provider_mismatch",
    "400 invalid_tools",
    "400 invalid_schema",
    "400 invalid_url",
    "400 duplicate_connection",
    "400 invalid_network_policy",
    "400 unsupported_image",
    "400 files_require_sandbox",
    "400 unsupported_reasoning_effort",
    "400 unsupported_image_input",
    "400 invalid_image",
    "400 image_limits_exceeded",
    "400 invalid_upload",
    "400 duplicate_call_id",
    "400 invalid_tool_result",
    "401 unauthorized",
    "403 forbidden",
    "403 connection_subject_mismatch",
    "404 not_found",
    "405 method_not_allowed",
    "409 session_active",
    "409 session_archived",
    "409 session_paused",
    "409 session_pausing",
    "409 run_interrupted",
    "409 run_stopping",
    "409 run_not_active",
    "409 input_not_queued",
    "409 connection_session_scoped",
    "409 tool_call_not_pending",
    "409 tool_call_run_mismatch",
    "409 tool_result_conflict",
    "410 cursor_expired",
    "413 file_too_large",
    "415 unsupported_media_type",
    "429 rate_limited",
    "500 internal_error",
    "500 image_preparation_failed",
    "500 stream_unavailable",
    "409 idempotency_conflict",
  ]);
  expect(Object.keys(extensionErrors)).toEqual(["idempotency_conflict"]);
});

// Red: an operation moved or vanished. A path is for good; a new one gets a line of its own.
it("keeps every operation at its method and path", () => {
  const operations = Object.values(routes).map(
    (route) => `${route.operationId} ${route.method} ${route.path}`,
  );
  expect(operations.sort()).toEqual([
    "delete_agents_agent_id DELETE /agents/{agent_id}",
    "delete_api_keys_api_key_id DELETE /api-keys/{api_key_id}",
    "delete_connections_connection_id DELETE /connections/{connection_id}",
    "delete_files_file_id DELETE /files/{file_id}",
    "delete_model_api_keys_model_api_key_id DELETE /model-api-keys/{model_api_key_id}",
    "delete_sessions_session_id DELETE /sessions/{session_id}",
    "delete_sessions_session_id_inputs_input_id DELETE /sessions/{session_id}/inputs/{input_id}",
    "get_agents GET /agents",
    "get_agents_agent_id GET /agents/{agent_id}",
    "get_agents_agent_id_versions_version GET /agents/{agent_id}/versions/{version}",
    "get_api_keys GET /api-keys",
    "get_connections GET /connections",
    "get_connections_connection_id GET /connections/{connection_id}",
    "get_files_file_id GET /files/{file_id}",
    "get_files_file_id_content GET /files/{file_id}/content",
    "get_model_api_keys GET /model-api-keys",
    "get_model_api_keys_model_api_key_id GET /model-api-keys/{model_api_key_id}",
    "get_sessions GET /sessions",
    "get_sessions_session_id GET /sessions/{session_id}",
    "get_sessions_session_id_events GET /sessions/{session_id}/events",
    "get_sessions_session_id_events_stream GET /sessions/{session_id}/events/stream",
    "get_sessions_session_id_files GET /sessions/{session_id}/files",
    "get_sessions_session_id_inputs GET /sessions/{session_id}/inputs",
    "get_sessions_session_id_inputs_input_id GET /sessions/{session_id}/inputs/{input_id}",
    "get_sessions_session_id_runs GET /sessions/{session_id}/runs",
    "get_sessions_session_id_runs_run_id GET /sessions/{session_id}/runs/{run_id}",
    "get_sessions_session_id_usage GET /sessions/{session_id}/usage",
    "patch_agents_agent_id PATCH /agents/{agent_id}",
    "post_agents POST /agents",
    "post_agents_agent_id_versions POST /agents/{agent_id}/versions",
    "post_api_keys POST /api-keys",
    "post_connections POST /connections",
    "post_files POST /files",
    "post_model_api_keys POST /model-api-keys",
    "post_sessions POST /sessions",
    "post_sessions_session_id_archive POST /sessions/{session_id}/archive",
    "post_sessions_session_id_inputs POST /sessions/{session_id}/inputs",
    "post_sessions_session_id_pause POST /sessions/{session_id}/pause",
    "post_sessions_session_id_resume POST /sessions/{session_id}/resume",
    "post_sessions_session_id_stop POST /sessions/{session_id}/stop",
    "post_sessions_session_id_tool_results POST /sessions/{session_id}/tool-results",
    "put_connections_connection_id_credentials PUT /connections/{connection_id}/credentials",
  ]);
});

// Red: an event type was renamed or removed. Stored logs have it; keep reading it for ever.
it("keeps every event type", () => {
  expect([...eventTypes].sort()).toEqual([
    "file.created",
    "input.accepted",
    "input.applied",
    "input.cancelled",
    "message.completed",
    "run.completed",
    "run.failed",
    "run.interrupted",
    "run.started",
    "run.stopped",
    "sandbox.lost",
    "sandbox.provisioned",
    "session.archived",
    "session.created",
    "session.updated",
    "tool.cancelled",
    "tool.completed",
    "tool.failed",
    "tool.requested",
    "tool.started",
  ]);
});

// Red: a prefix changed. Ids with the old one are stored and in clients' databases; keep it.
it("keeps every id prefix", () => {
  expect(Object.values(idPrefixes).join(" ")).toBe("ses run inp msg call evt agt mkey key conn file sbx prj");
});

// Red: a schema left the API document, and generated clients lose its type. Put it back.
it("keeps the number of named schemas", () => {
  expect(Object.keys(components)).toHaveLength(101);
});
