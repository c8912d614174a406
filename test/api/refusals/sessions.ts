/** Refusals of new sessions and of inputs, which share their content's rules. */
import { badBodies, type Case, changed, nested, withQuery } from "./case.ts";
import type { World } from "./world.ts";

const text = { type: "text", text: "Hello" };
const input = (rest: object = {}) => ({ mode: "queue", content: [text], ...rest });
const hosts = (...allowed_hosts: unknown[]) => ({
  environment: { type: "sandbox", network: { allowed_hosts } },
});
const connection = { connection_id: "conn_01ARZ3NDEKTSV4", allowed_tools: ["search"] };

const badInputs: Readonly<Record<string, object>> = {
  "no mode": { mode: undefined },
  "an unknown mode": { mode: "interrupt" },
  "no content": { content: undefined },
  "empty content": { content: [] },
  "content that is a text": { content: "Hello" },
  "an empty text": { content: [{ type: "text", text: "" }] },
  "NUL in a text": { content: [{ type: "text", text: "a\0b" }] },
  "a block of another type": { content: [{ type: "audio", file_id: "file_1" }] },
  "an unknown key in a block": { content: [{ ...text, cache: true }] },
  "a malformed file id": { content: [{ type: "image", file_id: "img_1" }] },
  "an unknown effort": { reasoning_effort: "extreme" },
  "an effort that is null": { reasoning_effort: null },
  "an unknown key in the input": { priority: 1 },
};

const badSessions: Readonly<Record<string, object>> = {
  "no agent": { agent: undefined },
  "an agent by its id alone": { agent: "agt_1" },
  "a malformed agent id": { agent: { id: "agent_1" } },
  "version 0": { agent: { id: "agt_1", version: 0 } },
  "version 1.5": { agent: { id: "agt_1", version: 1.5 } },
  "a version that is a text": { agent: { id: "agt_1", version: "1" } },
  "an unknown key in agent": { agent: { id: "agt_1", name: "x" } },
  "no subject": { subject_id: undefined },
  "an empty subject": { subject_id: "" },
  "a subject of 257 characters": { subject_id: "😀".repeat(257) },
  "a control character in the subject": { subject_id: "a\tb" },
  "a line break after the subject": { subject_id: "a\n" },
  "DEL in the subject": { subject_id: "a\x7f" },
  "NUL in the subject": { subject_id: "a\0" },
  "half a surrogate pair in the subject": { subject_id: "a\ud83d" },
  "a title of 201 characters": { title: "😀".repeat(201) },
  "a title that is null": { title: null },
  "an unknown environment": { environment: { type: "vm" } },
  "no environment but its image": { environment: { type: "none", image: "managed-default" } },
  "an unknown key in the environment": { environment: { type: "sandbox", cpu: 2 } },
  "an image that is null": { environment: { type: "sandbox", image: null } },
  "the same host twice": hosts("a.example.com", "a.example.com"),
  "an empty host": hosts(""),
  "a host that is a number": hosts(1),
  "connections that are null": { connections: null },
  "a connection without tools": { connections: [{ ...connection, allowed_tools: [] }] },
  "a wildcard in a connection's tools": { connections: [{ ...connection, allowed_tools: ["*"] }] },
  "both forms of a connection": { connections: [{ ...connection, url: "https://mcp.example.com" }] },
  "an input that is null": { input: null },
  "an input of 250 levels": { input: nested(250) },
};

const notHosts = [
  "*.example.com",
  "example.com:443",
  "https://example.com",
  "example.com/path",
  "example.com.",
  ".example.com",
  "exa mple.com",
  "-a.example.com",
  "a-.example.com",
  "a..example.com",
  "exämple.com",
  "a_b.example.com",
  "10.0.0.1",
  "0x7f.0.0.1",
  "[::1]",
  "::1",
  `${"a".repeat(64)}.example.com`,
  `${"a.".repeat(127)}com`,
];

const efforts = (effort: string) => ({ reasoning_effort: effort });
const ofFile = (type: string, id = "file_01ARZ3NDEKTSV4RRFFQ69G5FAV") => ({
  content: [{ type, file_id: id }],
});

function creating(code: Case["code"], what: string, rest: object | ((world: World) => object)): Case {
  return changed("post_sessions", code, what, (world, { body }) => ({
    body: { ...(body as object), ...(typeof rest === "function" ? rest(world) : rest) },
  }));
}

function sending(code: Case["code"], what: string, to: (world: World) => string, rest: object): Case {
  return changed("post_sessions_session_id_inputs", code, what, (world) => ({
    params: { session_id: to(world) },
    body: input(rest),
  }));
}

/** The same content in a new session's input and in an input to a session that exists. */
function contentCase(
  code: Case["code"],
  what: string,
  rest: object,
  where: "none" | "sandbox" | "small",
): Case[] {
  const sessions = { none: "idle", sandbox: "sandboxed", small: "idleWithoutImages" } as const;
  return [
    sending(code, what, (world) => world[sessions[where]], rest),
    creating(code, what, (world) => ({
      agent: { id: where === "small" ? world.agentWithoutImages : world.agent },
      environment: { type: where === "sandbox" ? "sandbox" : "none" },
      input: input(rest),
    })),
  ];
}

export const sessionCases: readonly Case[] = [
  ...badBodies("post_sessions", badSessions),
  ...badBodies("post_sessions_session_id_inputs", badInputs),
  ...Object.entries(badInputs)
    .slice(0, 5)
    .map(([what, rest]) => creating("invalid_request", `first input: ${what}`, { input: input(rest) })),
  creating("not_found", "an agent that never was", { agent: { id: "agt_01ARZ3NDEKTSV4RRFFQ69G5FAV" } }),
  creating("not_found", "an endless agent id", { agent: { id: `agt_${"a".repeat(3_000)}` } }),
  creating("not_found", "another project's agent", ({ other }) => ({ agent: { id: other.agent } })),
  creating("not_found", "a deleted agent", ({ agentDeleted }) => ({ agent: { id: agentDeleted } })),
  creating("not_found", "a deleted agent's version", ({ agentDeleted }) => ({
    agent: { id: agentDeleted, version: 1 },
  })),
  creating("not_found", "a version that never was", ({ agent }) => ({ agent: { id: agent, version: 2 } })),
  creating("not_found", "a connection that never was", { connections: [connection] }),
  creating("duplicate_connection", "a connection twice", { connections: [connection, connection] }),
  creating("duplicate_connection", "a connection twice with other tools", {
    connections: [connection, { ...connection, allowed_tools: ["fetch"] }],
  }),
  creating("unsupported_image", "another image", { environment: { type: "sandbox", image: "ubuntu" } }),
  creating("unsupported_image", "an empty image", { environment: { type: "sandbox", image: "" } }),
  ...notHosts.map((host) => creating("invalid_network_policy", `the host ${host.slice(0, 30)}`, hosts(host))),
  creating("invalid_network_policy", "one wrong host of two", hosts("a.example.com", "*")),
  creating("invalid_request", "100,000 hosts", () =>
    hosts(...Array.from({ length: 100_000 }, (_, at) => `a${at}.example.com`)),
  ),
  ...contentCase("files_require_sandbox", "a file without a sandbox", ofFile("file"), "none"),
  ...contentCase("not_found", "a file that never was", ofFile("file"), "sandbox"),
  ...contentCase("not_found", "an image that never was", ofFile("image"), "none"),
  ...contentCase("not_found", "an endless file id", ofFile("image", `file_${"a".repeat(3_000)}`), "none"),
  ...contentCase("unsupported_image_input", "an image for a model without eyes", ofFile("image"), "small"),
  ...contentCase("unsupported_reasoning_effort", "an effort for a model without", efforts("high"), "small"),
  ...contentCase("unsupported_reasoning_effort", "off for a model that reasons", efforts("off"), "none"),
  ...contentCase(
    "unsupported_reasoning_effort",
    "minimal where low is the least",
    efforts("minimal"),
    "none",
  ),
  changed("delete_sessions_session_id", "session_active", "a session whose run waits", ({ session }) => ({
    params: { session_id: session },
  })),
  sending("session_paused", "steering while paused", ({ paused }) => paused, { mode: "steer" }),
  ...["", "a%00", "a%0A", "a".repeat(257)].map((subject) =>
    withQuery("get_sessions", "invalid_parameter", `subject_id=${subject}`),
  ),
  withQuery("get_sessions", "invalid_parameter", "subject_id=a&subject_id=a"),
];
