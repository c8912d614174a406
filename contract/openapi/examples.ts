/** Request bodies to start from. Each is checked against its operation's schema by the tests. */
import type { Json } from "../json.ts";
import type { OperationId } from "../routes.ts";

type Example = { readonly summary: string; readonly value: Json };
type Examples = Readonly<Record<string, Example>>;

const ids = {
  agent: "agt_01K9A7Q2ZC",
  connection: "conn_01K9A7S4MV",
  modelKey: "mkey_01K9A7P0XH",
  run: "run_01K9A7T8EN0000000003",
  call: "call_01K9A7T8EN0000000006",
  file: "file_01K9A7V1JW",
} as const;

const invoiceAgent = {
  model: "anthropic/claude-sonnet-5-5",
  model_api_key_id: ids.modelKey,
  instructions: "You help with invoices. Look an invoice up before you speak of it.",
  tools: [
    {
      type: "function",
      name: "find_invoice",
      description: "Finds an invoice of the current customer by its number.",
      parameters: {
        type: "object",
        properties: { number: { type: "string" } },
        required: ["number"],
        additionalProperties: false,
      },
    },
  ],
};

/** Operation id -> examples of its body. */
export const requestExamples: Readonly<Partial<Record<OperationId, Examples>>> = {
  post_api_keys: { backend: { summary: "A key for one backend", value: { name: "billing backend" } } },
  post_model_api_keys: {
    anthropic: {
      summary: "A key of Anthropic",
      value: { name: "anthropic, production", provider: "anthropic", key: "sk-ant-REPLACE-ME" },
    },
  },
  post_agents: {
    functions: {
      summary: "An agent that calls your application",
      value: { name: "invoice helper", config: invoiceAgent },
    },
    plain: {
      summary: "An agent that only talks",
      value: {
        name: "proof-reader",
        config: { ...invoiceAgent, instructions: "Correct the text.", tools: [] },
      },
    },
  },
  patch_agents_agent_id: { rename: { summary: "A new name", value: { name: "invoice helper (EU)" } } },
  post_agents_agent_id_versions: { next: { summary: "The next version", value: { config: invoiceAgent } } },
  post_connections: {
    tickets: {
      summary: "A ticket system of one user",
      value: {
        name: "tickets",
        subject_id: "acme:user-17",
        url: "https://mcp.example.net/acme/17",
        headers: { authorization: "Bearer REPLACE-ME" },
        expires_at: "2027-01-31T00:00:00Z",
      },
    },
  },
  put_connections_connection_id_credentials: {
    rotate: { summary: "A new token", value: { headers: { authorization: "Bearer REPLACE-ME-TOO" } } },
    clear: { summary: "No authentication", value: { headers: {} } },
  },
  post_sessions: {
    idle: {
      summary: "An idle session without a sandbox",
      value: { agent: { id: ids.agent }, subject_id: "acme:user-17", environment: { type: "none" } },
    },
    started: {
      summary: "A session that starts at once, with one remote tool",
      value: {
        agent: { id: ids.agent, version: 2 },
        subject_id: "acme:user-17",
        title: "Open invoices",
        environment: { type: "none" },
        connections: [{ connection_id: ids.connection, allowed_tools: ["list_tickets"] }],
        input: { mode: "queue", content: [{ type: "text", text: "Which invoices are still open?" }] },
      },
    },
  },
  post_sessions_session_id_stop: { stop: { summary: "The run to stop", value: { run_id: ids.run } } },
  post_sessions_session_id_tool_results: {
    output: {
      summary: "An output",
      value: {
        run_id: ids.run,
        results: [{ call_id: ids.call, success: true, output: { number: "2026-118", total_cents: 4200 } }],
      },
    },
    error: {
      summary: "An error",
      value: {
        run_id: ids.run,
        results: [
          { call_id: ids.call, success: false, error: { code: "no_invoice", message: "No such invoice." } },
        ],
      },
    },
  },
  post_sessions_session_id_inputs: {
    question: {
      summary: "A question of its own run",
      value: { mode: "queue", content: [{ type: "text", text: "And which of them are overdue?" }] },
    },
    picture: {
      summary: "A remark for the active run, with a picture",
      value: {
        mode: "steer",
        reasoning_effort: "high",
        content: [
          { type: "text", text: "This is the letter I mean." },
          { type: "image", file_id: ids.file },
        ],
      },
    },
  },
};
