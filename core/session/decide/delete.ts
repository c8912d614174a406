import { type Refusal, refuse } from "../decision.ts";
import type { SessionState } from "../state.ts";

/** Why a session cannot be deleted now, or null (delete_sessions_session_id): its run has to end first. */
export function refuseDeletion({ run }: SessionState): Refusal | null {
  return run === null
    ? null
    : refuse("session_active", "The session has an active run. Stop it, or wait until it has ended.");
}
