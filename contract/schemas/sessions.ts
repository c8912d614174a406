/** Sessions: a conversation with one agent version for one subject. */
import * as z from "zod";
import { AgentConfig, AgentSelection, ResolvedAgent } from "./agents.ts";
import { pageOf, RunId, SandboxId, SessionId, SubjectId, Timestamp, text } from "./common.ts";
import { SessionConnectionBinding, SessionConnectionConfig } from "./connections.ts";
import { ImageContent, TextContent } from "./content.ts";
import { Environment, NoEnvironment, SandboxEnvironment } from "./environments.ts";
import { InitialInput } from "./inputs.ts";
import { having, none, withRules, withStatedRules } from "./rules.ts";
import { PendingToolCall } from "./tool-calls.ts";

export const SessionStatus = z.enum(["active", "pausing", "paused", "archived"]);
export type SessionStatus = z.infer<typeof SessionStatus>;

export const ActiveRunStatus = z.enum(["running", "waiting_for_tools", "interrupted", "stopping"]);
export type ActiveRunStatus = z.infer<typeof ActiveRunStatus>;

// A file in the input of a session without a sandbox fits: that is the operation's `files_require_sandbox`.
export const CreateSession = withStatedRules(
  z
    .strictObject({
      agent: AgentSelection,
      subject_id: SubjectId,
      title: text(0, 200).optional(),
      environment: Environment.prefault({ type: "sandbox" }),
      connections: z.array(SessionConnectionConfig).default([]).describe("MCP access; none unless listed."),
      input: InitialInput.optional(),
    })
    .describe("A new session. A sandbox is the default environment; file content needs one."),
  {
    oneOf: [
      having({ environment: SandboxEnvironment.optional() }),
      having({
        environment: NoEnvironment,
        input: having({ content: z.array(z.union([TextContent, ImageContent])).optional() }).optional(),
      }),
    ],
  },
);
export type CreateSession = z.infer<typeof CreateSession>;
/** A `CreateSession` as it is sent, before defaults. */
export type CreateSessionRequest = z.input<typeof CreateSession>;

export const Session = withRules(
  z
    .strictObject({
      id: SessionId,
      subject_id: SubjectId,
      title: z.string().nullable(),
      agent: ResolvedAgent,
      agent_config: AgentConfig,
      environment: Environment,
      connections: z.array(SessionConnectionBinding).describe("In the order they were asked for."),
      status: SessionStatus,
      active_run_id: RunId.nullable(),
      active_run_status: ActiveRunStatus.nullable(),
      pending_input_count: z.int().min(0).describe("Queued inputs that have no run yet."),
      pending_tool_calls: z
        .array(PendingToolCall)
        .describe("Function calls of the active run that wait for a result."),
      sandbox_id: SandboxId.nullable(),
      last_event_sequence: z.int().min(0),
      created_at: Timestamp,
      updated_at: Timestamp,
    })
    .describe("A session's fixed configuration and its present state."),
  {
    oneOf: [
      having({
        active_run_id: z.string(),
        active_run_status: z.literal("interrupted"),
        status: z.literal("paused"),
      }),
      having({
        active_run_id: z.string(),
        active_run_status: z.literal("waiting_for_tools"),
        pending_tool_calls: z.array(z.unknown()).min(1),
      }),
      having({
        active_run_id: z.string(),
        active_run_status: z.enum(["running", "stopping"]),
        pending_tool_calls: none,
      }),
      having({ active_run_id: z.null(), active_run_status: z.null(), pending_tool_calls: none }),
    ],
    not: [
      having({ active_run_id: z.string(), status: z.literal("archived") }),
      having({ active_run_id: z.null(), status: z.literal("pausing") }),
    ],
  },
  "status, active_run_id, active_run_status and pending_tool_calls do not fit together.",
);
export type Session = z.infer<typeof Session>;

export const SessionList = pageOf(Session).describe("A page of sessions.");
export type SessionList = z.infer<typeof SessionList>;
