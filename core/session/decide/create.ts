import { type Decision, draft } from "../decision.ts";
import { evolve } from "../evolve.ts";
import type { SessionState } from "../state.ts";
import { acceptInput, type NewInput } from "./inputs.ts";

export type CreateSession = {
  readonly sessionId: string;
  readonly projectId: string;
  readonly input: NewInput | null;
  /** RFC 3339 UTC. */
  readonly at: string;
};

/** Creates a session, idle or with its first input, which starts the first run in either mode (post_sessions). */
export function createSession(command: CreateSession): Decision {
  const created = {
    type: "session.created",
    sessionId: command.sessionId,
    projectId: command.projectId,
    sequence: 1,
    at: command.at,
  } as const;
  const state: SessionState = evolve(null, created);
  if (command.input === null) return { accepted: true, events: [created], changes: [], state };
  const change = draft(state, command.at);
  acceptInput(change, command.input);
  const decision = change.finish();
  return { ...decision, events: [created, ...decision.events] };
}
