import type { Executions } from "../ports/executions.ts";
import type { SessionStore } from "../ports/store.ts";
import { effects } from "../session/effects.ts";
import { perform } from "./perform.ts";

type Ports = { readonly store: SessionStore; readonly executions: Executions };

/** Does what the session's state still asks for: a start or a wake-up that its committer did not get to. */
export async function reconcile({ store, executions }: Ports, sessionId: string): Promise<void> {
  const loaded = await store.load(sessionId);
  if (loaded !== null) await perform(executions, effects(loaded.state));
}
