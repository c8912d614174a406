import type { SessionStore } from "../ports/store.ts";
import { ApiError, notFound } from "./error.ts";

/**
 * Runs something on a session that may be deleted meanwhile. Where that made it fail, or refuse for a reason of
 * a session that is no longer there, it throws `not_found` instead.
 */
export async function unlessGone<T>(
  store: Pick<SessionStore, "load">,
  sessionId: string,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ApiError && error.code === "not_found") throw error;
    if ((await store.load(sessionId)) === null) throw notFound("session");
    throw error;
  }
}
