/** What clients send. */
import { type Cases, without } from "./case.ts";
import { config, input } from "./samples.ts";

const find = {
  type: "function",
  name: "find_invoice",
  description: "Finds an invoice.",
  parameters: { type: "object", properties: { number: { type: "string" } } },
};
const agent = { name: "helper", config: { ...config, tools: ["shell", find] } };
const withTools = (...tools: unknown[]) => ({ ...agent, config: { ...config, tools } });
const withName = (name: string) => withTools({ ...find, name });
const session = { agent: { id: "agt_B1" }, subject_id: "acme:user-17" };
const inline = { url: "https://mcp.example.net/17", allowed_tools: ["search"] };
const withConnection = (connection: object) => ({ ...session, connections: [connection] });
const registration = { name: "tickets", subject_id: "acme:user-17", url: "https://mcp.example.net/17" };
const send = { mode: "steer", content: input.content };
const submitted = {
  run_id: "run_A10000000003",
  results: [{ call_id: "call_A1", success: true, output: null }],
};
const withResult = (result: object) => ({ ...submitted, results: [result] });
const modelKey = { name: "mine", provider: "openai", key: "sk-123456" };

export const requestCases: readonly Cases[] = [
  {
    schema: "SubjectId",
    accepts: {
      "one character": "x",
      "256 characters": "x".repeat(256),
      "256 emoji": "🦊".repeat(256),
      "letters of any script": "ünïcødé/用户",
    },
    refuses: {
      "an empty text": "",
      "257 characters": "x".repeat(257),
      "257 emoji": "🦊".repeat(257),
      "a tab": "a\tb",
      NUL: "a\0",
      DEL: "a\x7f",
      "a line break at the end": "acme\n",
      "a number": 17,
    },
  },
  {
    schema: "CreateAgent",
    accepts: {
      "a built-in and a function": agent,
      "no tools": { ...agent, config: without(config, "tools") },
      "a model that nobody registered": { ...agent, config: { ...config, model: "nobody/none" } },
      "two functions of one name": withTools(find, { ...find, description: "Another." }),
      "a function named like a built-in": withName("shell"),
      "parameters that are no usable schema": withTools({
        ...find,
        parameters: { type: "object", properties: 1 },
      }),
      "a name of 64 characters": withName("n".repeat(64)),
    },
    refuses: {
      "an empty name": { ...agent, name: "" },
      "a name of 121 characters": { ...agent, name: "n".repeat(121) },
      "an unknown key": { ...agent, description: "x" },
      "an unknown key in the config": { ...agent, config: { ...config, temperature: 1 } },
      "a missing key reference": { ...agent, config: without(config, "model_api_key_id") },
      "a key reference with a wrong prefix": { ...agent, config: { ...config, model_api_key_id: "key_K1" } },
      "an id that ends in a line break": { ...agent, config: { ...config, model_api_key_id: "mkey_K1\n" } },
      "an unknown built-in": withTools("browser"),
      "a built-in twice": withTools("shell", "shell"),
      "a function twice, its keys in another order": withTools(
        find,
        Object.fromEntries(Object.entries(find).reverse()),
      ),
      "a function name with a dash": withName("find-invoice"),
      "a function name that begins with a digit": withName("1st"),
      "a function name of 65 characters": withName("n".repeat(65)),
      "a function name that ends in a line break": withName("find\n"),
      "parameters of another type": withTools({ ...find, parameters: { type: "array" } }),
      "parameters without a type": withTools({ ...find, parameters: {} }),
      "an unknown key in a function": withTools({ ...find, strict: true }),
    },
  },
  {
    schema: "UpdateAgent",
    accepts: { "a name": { name: " a " } },
    refuses: { "a blank name": { name: " \n\t" }, "a long name": { name: "n".repeat(121) }, "no name": {} },
  },
  {
    schema: "CreateModelApiKey",
    accepts: { "a key of nine characters": modelKey },
    refuses: {
      "a key of eight characters": { ...modelKey, key: "sk-12345" },
      "a key with a space": { ...modelKey, key: "sk-123 456" },
      "a key that ends in a line break": { ...modelKey, key: "sk-123456\n" },
      "a key of 4097 characters": { ...modelKey, key: "k".repeat(4097) },
      "a blank name": { ...modelKey, name: "  " },
      "another provider": { ...modelKey, provider: "mistral" },
    },
  },
  {
    schema: "CreateSession",
    accepts: {
      "the least": session,
      "no sandbox": { ...session, environment: { type: "none" } },
      "another image": { ...session, environment: { type: "sandbox", image: "debian" } },
      "a host that is an address": {
        ...session,
        environment: { type: "sandbox", network: { allowed_hosts: ["10.0.0.1"] } },
      },
      "an inline connection": withConnection({
        ...inline,
        name: "x",
        headers: { "x-key": "v" },
        expires_at: null,
      }),
      "a registered connection": withConnection({ connection_id: "conn_C1", allowed_tools: ["a", "b"] }),
      "a registered connection twice": {
        ...session,
        connections: Array(2).fill({ connection_id: "conn_C1", allowed_tools: ["a"] }),
      },
      "a first input": { ...session, input: { ...send, reasoning_effort: "max" } },
      "a title of 200 emoji": { ...session, title: "🦊".repeat(200) },
      "an empty title": { ...session, title: "" },
    },
    refuses: {
      "no subject": without(session, "subject_id"),
      "a null title": { ...session, title: null },
      "a title of 201 characters": { ...session, title: "t".repeat(201) },
      "version 0": { ...session, agent: { id: "agt_B1", version: 0 } },
      "a null environment": { ...session, environment: null },
      "an environment without a type": { ...session, environment: { image: "managed-default" } },
      "no sandbox but an image": { ...session, environment: { type: "none", image: "managed-default" } },
      "a host twice": {
        ...session,
        environment: { type: "sandbox", network: { allowed_hosts: ["a.io", "a.io"] } },
      },
      "an empty host": { ...session, environment: { type: "sandbox", network: { allowed_hosts: [""] } } },
      "both kinds of connection in one": withConnection({ ...inline, connection_id: "conn_C1" }),
      "a connection without tools": withConnection({ ...inline, allowed_tools: [] }),
      "a wildcard": withConnection({ ...inline, allowed_tools: ["search_*"] }),
      "a tool twice": withConnection({ ...inline, allowed_tools: ["a", "a"] }),
      "an input without a mode": { ...session, input: { content: input.content } },
      "an unknown key": { ...session, metadata: {} },
    },
  },
  {
    schema: "CreateConnection",
    accepts: {
      "no headers": registration,
      "an expiry with an offset": { ...registration, expires_at: "2027-01-31T01:00:00+01:00" },
      "an unusual header name": { ...registration, headers: { "x_key.1": "v" } },
    },
    refuses: {
      "a header name with a capital": { ...registration, headers: { Authorization: "v" } },
      "a header that the transport sets": { ...registration, headers: { "content-length": "1" } },
      "an empty header value": { ...registration, headers: { "x-key": "" } },
      "a header value with a line break": { ...registration, headers: { "x-key": "a\r\nb: c" } },
      "a header value that ends in a line break": { ...registration, headers: { "x-key": "a\n" } },
      "an expiry without seconds": { ...registration, expires_at: "2027-01-31T01:00Z" },
      "an expiry without an offset": { ...registration, expires_at: "2027-01-31T01:00:00" },
      "an expiry without a time": { ...registration, expires_at: "2027-01-31" },
    },
  },
  {
    schema: "SendInput",
    accepts: {
      text: send,
      "an image alone": { ...send, content: [{ type: "image", file_id: "file_F1" }] },
      "a file and text": { ...send, content: [{ type: "file", file_id: "file_F1" }, ...input.content] },
    },
    refuses: {
      "no content": { ...send, content: [] },
      "empty text": { ...send, content: [{ type: "text", text: "" }] },
      "text with a file": { ...send, content: [{ type: "text", text: "a", file_id: "file_F1" }] },
      "an image by URL": { ...send, content: [{ type: "image", url: "https://example.net/a.png" }] },
      "another mode": { ...send, mode: "interrupt" },
      "no mode": without(send, "mode"),
      "an unknown effort": { ...send, reasoning_effort: "none" },
    },
  },
  {
    schema: "SubmitToolResults",
    accepts: {
      "a null output": submitted,
      "a text output": withResult({ call_id: "call_A1", success: true, output: "done" }),
      "an error": withResult({ call_id: "call_A1", success: false, error: { code: "x", message: "y" } }),
      "one call twice": { ...submitted, results: [...submitted.results, ...submitted.results] },
    },
    refuses: {
      "no results": { ...submitted, results: [] },
      "a success without output": withResult({ call_id: "call_A1", success: true }),
      "a success with an error": withResult({ ...submitted.results[0], error: { code: "x", message: "y" } }),
      "a failure with an output": withResult({ call_id: "call_A1", success: false, output: 1 }),
      "an error without a code": withResult({
        call_id: "call_A1",
        success: false,
        error: { code: "", message: "y" },
      }),
      "success as text": withResult({ call_id: "call_A1", success: "true", output: 1 }),
    },
  },
];
