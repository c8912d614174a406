/** Remote MCP endpoints: registered for a subject, or owned by one session. */
import * as z from "zod";
import {
  ConnectionId,
  pageOf,
  RequestTimestamp,
  SessionId,
  SubjectId,
  Timestamp,
  uniqueArray,
} from "./common.ts";
import { having, withRules } from "./rules.ts";

/** An MCP endpoint: https, without user information or fragment. A URL outside it is `invalid_url`. */
export const McpUrlPattern = /^https:\/\/[^/@?#\s]+(?:[/?][^#\s]*)?$/;

/** Header names that a connection may not set, since routing or the MCP transport decides them. */
export const reservedHeaders: ReadonlySet<string> = new Set([
  "accept",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "last-event-id",
  "mcp-protocol-version",
  "mcp-session-id",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const HeaderName = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9a-z]+$/, "Write header names in lower case.")
  .refine((name) => !reservedHeaders.has(name), "This header is set by the transport; leave it out.")
  .meta({ not: { enum: [...reservedHeaders] } });

const HeaderValue = z
  .string()
  .min(1)
  .regex(/^[^\r\n]+$/)
  .meta({ writeOnly: true });

export const SecretHeaders = z.record(HeaderName, HeaderValue).meta({
  writeOnly: true,
  description:
    "Headers sent to the endpoint and to nobody else, never shown again. Empty means no authentication.",
});
export type SecretHeaders = z.infer<typeof SecretHeaders>;

// Any text fits: the pattern is stated here and checked by the operation, which answers `invalid_url`.
const Url = z.string().meta({
  format: "uri",
  pattern: McpUrlPattern.source,
  description: "An https URL without user information or fragment. Redirects are not followed.",
});
const RequestExpiry = RequestTimestamp.nullable()
  .optional()
  .describe("When the headers stop working, if known. From then on no call is sent.");
const AllowedTools = uniqueArray(
  z
    .string()
    .min(1)
    .regex(/^[^*]+$/),
  1,
).describe("Remote tool names, each in full.");
const Scope = z.enum(["reusable", "session"]);

export const CreateConnection = z
  .strictObject({
    name: z.string().min(1),
    subject_id: SubjectId,
    url: Url,
    headers: SecretHeaders.default({}),
    expires_at: RequestExpiry,
  })
  .describe("An MCP endpoint to register for one subject's sessions.");
export type CreateConnection = z.infer<typeof CreateConnection>;

export const ReplaceConnectionCredentials = z
  .strictObject({ headers: SecretHeaders, expires_at: RequestExpiry })
  .describe("The new headers and expiry, in place of all the old ones.");
export type ReplaceConnectionCredentials = z.infer<typeof ReplaceConnectionCredentials>;

export const ConnectionGrant = z
  .strictObject({ connection_id: ConnectionId, allowed_tools: AllowedTools })
  .describe("A registered connection of the same subject, and the tools the session may call on it.");
export type ConnectionGrant = z.infer<typeof ConnectionGrant>;

export const InlineConnectionGrant = z
  .strictObject({
    url: Url,
    headers: SecretHeaders.default({}),
    expires_at: RequestExpiry,
    name: z.string().min(1).default("MCP tools"),
    allowed_tools: AllowedTools,
  })
  .describe("An endpoint for this session alone, and the tools it may call there.");
export type InlineConnectionGrant = z.infer<typeof InlineConnectionGrant>;

// The same connection_id in two entries fits: that is the operation's `duplicate_connection`.
export const SessionConnectionConfig = z
  .union([ConnectionGrant, InlineConnectionGrant], "Give a connection_id or a url, with allowed_tools.")
  .describe("A registered connection or an endpoint, not both.");
export type SessionConnectionConfig = z.infer<typeof SessionConnectionConfig>;

export const SessionConnectionBinding = z
  .strictObject({ connection_id: ConnectionId, scope: Scope, allowed_tools: AllowedTools })
  .describe("A connection that a session is bound to, and the tools granted on it.");
export type SessionConnectionBinding = z.infer<typeof SessionConnectionBinding>;

export const Connection = withRules(
  z
    .strictObject({
      id: ConnectionId,
      name: z.string().min(1),
      subject_id: SubjectId,
      url: z.url(),
      authentication: z
        .enum(["none", "headers"])
        .describe("Whether headers are stored; says nothing of their health."),
      scope: Scope.describe("reusable when registered, session when one session owns it."),
      session_id: SessionId.nullable().describe("The owning session, if any."),
      expires_at: Timestamp.nullable(),
      created_at: Timestamp,
      updated_at: Timestamp,
    })
    .describe("An MCP connection without its headers."),
  {
    oneOf: [
      having({ scope: z.literal("reusable"), session_id: z.null() }),
      having({ scope: z.literal("session"), session_id: SessionId }),
    ],
  },
  "scope is session exactly when session_id is set.",
);
export type Connection = z.infer<typeof Connection>;

export const ConnectionList = pageOf(Connection).describe("A page of connections.");
export type ConnectionList = z.infer<typeof ConnectionList>;
