/** Plain valid values to vary. */
export const at = "2026-11-03T08:30:00.250Z";
export const later = "2026-11-03T08:40:00.250Z";

export const failure = { code: "model_error", message: "The provider answered 529." };

export const pendingCall = {
  id: "call_A10000000007",
  run_id: "run_A10000000003",
  tool: "find_invoice",
  connection_id: null,
  arguments: { number: "2026-118" },
  status: "requested",
  result: null,
  error: null,
  execution: "application",
  deadline_at: later,
};

export const platformCall = {
  ...pendingCall,
  tool: "web_search",
  status: "running",
  execution: "platform",
  deadline_at: null,
};

export const config = {
  model: "openai/gpt-6.1-sol",
  model_api_key_id: "mkey_K1",
  instructions: "Answer shortly.",
  tools: ["web_search"],
};

export const idleSession = {
  id: "ses_A1",
  subject_id: "acme:user-17",
  title: null,
  agent: { id: "agt_B1", version: 3 },
  agent_config: config,
  environment: { type: "none" },
  connections: [],
  status: "active",
  active_run_id: null,
  active_run_status: null,
  pending_input_count: 0,
  pending_tool_calls: [],
  sandbox_id: null,
  last_event_sequence: 1,
  created_at: at,
  updated_at: at,
};

export const runningSession = {
  ...idleSession,
  active_run_id: "run_A10000000003",
  active_run_status: "running",
};

export const run = {
  id: "run_A10000000003",
  session_id: "ses_A1",
  status: "running",
  initial_input_id: "inp_A10000000002",
  applied_input_ids: [],
  messages: [],
  output_file_ids: [],
  error: null,
  started_at: at,
  ended_at: null,
};

export const input = {
  id: "inp_A10000000002",
  session_id: "ses_A1",
  content: [{ type: "text", text: "Which invoices are open?" }],
  mode: "queue",
  reasoning_effort: "medium",
  status: "accepted",
  run_id: null,
  created_at: at,
  applied_at: null,
  cancelled_at: null,
  cancellation_reason: null,
};

export const message = {
  id: "msg_A10000000009",
  role: "assistant",
  content: [{ type: "text", text: "Two are open." }],
  created_at: at,
};

export const output = {
  id: "file_F1",
  kind: "output",
  path: "/workspace/outputs/report/open.csv",
  filename: "open.csv",
  media_type: "text/csv",
  size_bytes: 0,
  session_id: "ses_A1",
  run_id: "run_A10000000003",
  created_at: at,
};

export const connection = {
  id: "conn_C1",
  name: "tickets",
  subject_id: "acme:user-17",
  url: "https://mcp.example.net/acme/17",
  authentication: "headers",
  scope: "reusable",
  session_id: null,
  expires_at: null,
  created_at: at,
  updated_at: at,
};
