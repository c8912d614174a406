import * as z from "zod";
import { SessionConnectionBinding } from "../../contract/schemas/connections.ts";
import { Environment } from "../../contract/schemas/environments.ts";
import type { Session } from "../../contract/schemas/sessions.ts";
import type { Blobs } from "../ports/blobs.ts";
import { snapshot } from "../session/decision.ts";
import type { Snapshot } from "../session/events.ts";
import type { SessionState } from "../session/state.ts";
import { pendingCall } from "./call.ts";
import { type Records, required } from "./sources.ts";

const Bindings = z.array(SessionConnectionBinding);

/** A session as it is now (get_sessions_session_id). */
export function presentSession(blobs: Blobs, records: Records, state: SessionState): Promise<Session> {
  return presentSnapshot(blobs, records, snapshot(state), {
    sequence: state.sequence,
    updatedAt: state.updatedAt,
    createdAt: state.createdAt,
  });
}

/** A session as an event saw it. */
export async function presentSnapshot(
  blobs: Blobs,
  records: Records,
  live: Snapshot,
  moment: { sequence: number; updatedAt: string; createdAt: string },
): Promise<Session> {
  const { config, agentConfig, sessionId } = records;
  const pending = await Promise.all(
    live.pendingCallIds.map((id) => pendingCall(blobs, required(records.calls, id))),
  );
  return {
    id: sessionId,
    title: config.title,
    agent: config.agent,
    agent_config: agentConfig,
    environment: Environment.parse(config.environment),
    status: live.status,
    active_run_id: live.activeRunId,
    active_run_status: live.activeRunStatus,
    pending_input_count: live.pendingInputCount,
    sandbox_id: live.sandboxId,
    last_event_sequence: moment.sequence,
    created_at: moment.createdAt,
    updated_at: moment.updatedAt,
    connections: Bindings.parse(config.connections),
    subject_id: config.subjectId,
    pending_tool_calls: pending,
  };
}
