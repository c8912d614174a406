import type { Loaded } from "../ports/store.ts";
import type { SessionConfig } from "../session/config.ts";
import { refuseDeletion } from "../session/decide/delete.ts";
import { contend } from "../session/handle.ts";
import { refusalError } from "./committed.ts";
import { notFound } from "./error.ts";
import type { ApiPorts, Operation } from "./operation.ts";

/** Items, and objects, that the request itself erases; the sweep goes on with what is more. */
const ERASED_AT_ONCE = 1_000;

/** delete_sessions_session_id: one commit makes the session unreachable; what it leaves behind is erased after it. */
export const deleteSession: Operation<"delete_sessions_session_id"> = async (ports, request) => {
  const { projectId, params } = request;
  const sessionId = params.session_id;
  const config = await ports.store.config(sessionId);
  if (config === null || config.projectId !== projectId) throw notFound("session");
  await contend(ports.clock, `session ${sessionId}`, () => remove(ports, sessionId, config));
  await eraseSoon(ports, sessionId);
  return { status: 204 };
};

async function remove({ store }: ApiPorts, sessionId: string, config: SessionConfig): Promise<Loaded> {
  const loaded = await store.load(sessionId);
  if (loaded === null) throw notFound("session");
  const refusal = refuseDeletion(loaded.state);
  if (refusal !== null) throw refusalError(refusal, "session");
  await store.delete(sessionId, loaded.version, config);
  return loaded;
}

/** What fails or is left here is the sweep's. */
async function eraseSoon({ store, log }: ApiPorts, sessionId: string): Promise<void> {
  try {
    await store.erase(sessionId, ERASED_AT_ONCE);
  } catch (error) {
    log.warn("the rest of a deleted session is left to the sweep", {
      sessionId,
      error: error instanceof Error ? error.name : "unknown",
    });
  }
}
