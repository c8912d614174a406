/** A session's events, read in pages or live. */
import * as z from "zod";
import { PageQuery, StreamHeaders, StreamQuery } from "../parameters.ts";
import { SessionId } from "../schemas/common.ts";
import { EventList } from "../schemas/events.ts";
import { StreamItem } from "../schemas/stream.ts";
import { one, page, type Route, usual } from "./route.ts";

const session = z.object({ session_id: SessionId });

/** Headers of every event stream: neither caches nor proxies may hold it back. */
export const streamHeaders = {
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
} as const;

export const historyRoutes = {
  get_sessions_session_id_events: {
    operationId: "get_sessions_session_id_events",
    method: "GET",
    path: "/sessions/{session_id}/events",
    tag: "Events",
    auth: "project",
    summary: "Read the event log",
    description: "Committed events by sequence, from the first one kept.",
    params: session,
    query: PageQuery,
    bodyType: "none",
    success: [{ status: 200, description: "A page of events.", schema: EventList }],
    errors: [...page, "not_found", ...usual],
  },
  get_sessions_session_id_events_stream: {
    operationId: "get_sessions_session_id_events_stream",
    method: "GET",
    path: "/sessions/{session_id}/events/stream",
    tag: "Events",
    auth: "project",
    summary: "Stream events",
    description:
      "Server-sent events: those after the cursor, if there is one, then live ones. A stream that closes says nothing of the run.",
    params: session,
    query: StreamQuery,
    headers: StreamHeaders,
    bodyType: "none",
    success: [
      {
        status: 200,
        description: "The stream. Comments keep it alive.",
        schema: StreamItem,
        contentType: "text/event-stream",
        headers: streamHeaders,
      },
    ],
    errors: [
      ...one,
      "invalid_cursor",
      "conflicting_cursor",
      "cursor_expired",
      "stream_unavailable",
      ...usual,
    ],
  },
} as const satisfies Record<string, Route>;
