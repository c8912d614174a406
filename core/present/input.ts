import type { Input } from "../../contract/schemas/inputs.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { InputRecord } from "../session/records.ts";
import { contentOf } from "./sources.ts";

const reasons = ["customer_cancelled", "session_archived", "run_failed", "run_stopped"] as const;

/** An input as it is now (get_sessions_session_id_inputs_input_id). */
export async function presentInput(
  blobs: Pick<Blobs, "fetch">,
  sessionId: string,
  record: InputRecord,
): Promise<Input> {
  return {
    id: record.id,
    session_id: sessionId,
    content: await contentOf(blobs, record.content),
    mode: record.mode,
    reasoning_effort: record.effort,
    status: record.status,
    run_id: record.runId,
    created_at: record.createdAt,
    applied_at: record.appliedAt,
    cancelled_at: record.cancelledAt,
    cancellation_reason: reasons.find((reason) => reason === record.cancellationReason) ?? null,
  };
}
