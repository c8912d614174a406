import type { AssistantMessage, Run } from "../../contract/schemas/runs.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { MessageRecord, RunRecord } from "../session/records.ts";
import type { ActiveRun } from "../session/state.ts";
import { contentOf } from "./sources.ts";

export async function presentMessage(blobs: Blobs, record: MessageRecord): Promise<AssistantMessage> {
  return {
    id: record.id,
    role: "assistant",
    content: await contentOf(blobs, record.content),
    created_at: record.createdAt,
  };
}

export const presentMessages = (
  blobs: Blobs,
  records: readonly MessageRecord[],
): Promise<AssistantMessage[]> => Promise.all(records.map((record) => presentMessage(blobs, record)));

/** The active run as it is now. */
export function presentActiveRun(sessionId: string, run: ActiveRun, messages: AssistantMessage[]): Run {
  return {
    id: run.id,
    session_id: sessionId,
    status: run.status,
    initial_input_id: run.initialInputId,
    applied_input_ids: run.appliedInputIds,
    messages,
    output_file_ids: [],
    error: run.status === "interrupted" ? run.error : null,
    started_at: run.startedAt,
    ended_at: null,
  };
}

/** A run that has ended. */
export function presentEndedRun(sessionId: string, run: RunRecord, messages: AssistantMessage[]): Run {
  return {
    id: run.id,
    session_id: sessionId,
    status: run.status,
    initial_input_id: run.initialInputId,
    applied_input_ids: run.appliedInputIds,
    messages,
    output_file_ids: run.outputFileIds,
    error: run.error,
    started_at: run.startedAt,
    ended_at: run.endedAt,
  };
}
