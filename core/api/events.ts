import { presentEvents } from "../present/events.ts";
import { isPublic, type PublicSessionEvent } from "../session/events.ts";
import { decodeCursor, positions } from "./cursor.ts";
import { notFound } from "./error.ts";
import type { ApiPorts, Operation } from "./operation.ts";
import { pageOf } from "./page.ts";
import { ownSession } from "./sessions.ts";

/** get_sessions_session_id_events */
export const listEvents: Operation<"get_sessions_session_id_events"> = async (ports, request) => {
  const { projectId, params, query } = request;
  const state = await ownSession(ports, projectId, params.session_id);
  const scope = { operation: "get_sessions_session_id_events", of: state.id };
  const after = Number(decodeCursor(scope, query.cursor, positions.sequence) ?? 0);
  const events = await eventsAfter(ports, state.id, after, query.limit + 1);
  const found = { items: events.slice(0, query.limit), more: events.length > query.limit };
  const present = async (items: readonly PublicSessionEvent[]) => {
    const presented = await presentEvents(ports, state, items);
    if (presented === null) throw notFound("session");
    return presented;
  };
  const view = { place: ({ sequence }: PublicSessionEvent) => String(sequence), present };
  return { status: 200, body: await pageOf(scope, found, view) };
};

/** Public events after a sequence. A commit has at least one or none, so as many commits are enough. */
async function eventsAfter(
  { store }: ApiPorts,
  sessionId: string,
  after: number,
  limit: number,
): Promise<PublicSessionEvent[]> {
  const events: PublicSessionEvent[] = [];
  const from: { sequence: number; version?: number } = { sequence: after };
  for (let more = true; more && events.length < limit; ) {
    const page = await store.log(sessionId, from, limit);
    const last = page.items.at(-1);
    const read = page.items.flatMap((commit) => commit.events).filter(isPublic);
    events.push(...read.filter(({ sequence }) => sequence > after));
    if (last !== undefined) Object.assign(from, { sequence: last.sequence, version: last.version });
    more = page.more;
  }
  return events.slice(0, limit);
}
