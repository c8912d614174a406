import type { Upload } from "../ports/blobs.ts";
import { timestamp } from "../ports/clock.ts";
import { performSoon } from "../run/perform.ts";
import { type Decision, type Refusal, refuse } from "../session/decision.ts";
import { effects } from "../session/effects.ts";
import { handle } from "../session/handle.ts";
import type { SessionState } from "../session/state.ts";
import { committed } from "./committed.ts";
import type { ApiPorts } from "./operation.ts";

/**
 * Decides on a session of the project, commits, and does what the new state asks for. Throws `ApiError`: the
 * decision's refusal, or `not_found`, another project's session included.
 */
export async function changeSession(
  ports: Pick<ApiPorts, "store" | "clock" | "executions" | "log">,
  { projectId, sessionId }: { readonly projectId: string; readonly sessionId: string },
  decide: (state: SessionState, at: string) => Decision | Refusal | Promise<Decision | Refusal>,
  uploads: readonly Upload[] = [],
): Promise<Decision> {
  const handled = await handle(
    ports,
    sessionId,
    ({ state }) =>
      state.projectId === projectId ? decide(state, timestamp(ports.clock)) : refuse("not_found", ""),
    uploads,
  );
  const decision = committed(handled, "session");
  await performSoon(ports, effects(decision.state));
  return decision;
}
