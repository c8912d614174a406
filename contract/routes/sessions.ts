/** Sessions and their controls. */
import * as z from "zod";
import { IdempotencyHeaders, SubjectPageQuery } from "../parameters.ts";
import { SessionId } from "../schemas/common.ts";
import { StopRun } from "../schemas/runs.ts";
import { CreateSession, Session, SessionList } from "../schemas/sessions.ts";
import { content, idempotent, jsonBody, one, page, type Route, usual } from "./route.ts";

const session = z.object({ session_id: SessionId });
const creation = [
  "not_found",
  "invalid_url",
  "duplicate_connection",
  "connection_subject_mismatch",
  "connection_session_scoped",
  "invalid_network_policy",
  "unsupported_image",
] as const;

export const sessionRoutes = {
  post_sessions: {
    operationId: "post_sessions",
    method: "POST",
    path: "/sessions",
    tag: "Sessions",
    auth: "project",
    summary: "Create a session",
    description:
      "Creates a session for a subject and, if there is an input, its first run: all of it or nothing.",
    headers: IdempotencyHeaders,
    body: CreateSession,
    bodyType: "json",
    success: [{ status: 201, description: "The session.", schema: Session }],
    errors: [...idempotent, ...jsonBody, ...creation, ...content, ...usual],
  },
  get_sessions: {
    operationId: "get_sessions",
    method: "GET",
    path: "/sessions",
    tag: "Sessions",
    auth: "project",
    summary: "List sessions",
    description: "The project's sessions, newest first.",
    query: SubjectPageQuery,
    bodyType: "none",
    success: [{ status: 200, description: "A page of sessions.", schema: SessionList }],
    errors: [...page, "not_found", ...usual],
  },
  get_sessions_session_id: {
    operationId: "get_sessions_session_id",
    method: "GET",
    path: "/sessions/{session_id}",
    tag: "Sessions",
    auth: "project",
    summary: "Read a session",
    description: "Its state, its active run and the function calls that wait for your application.",
    params: session,
    bodyType: "none",
    success: [{ status: 200, description: "The session.", schema: Session }],
    errors: [...one, ...usual],
  },
  delete_sessions_session_id: {
    operationId: "delete_sessions_session_id",
    method: "DELETE",
    path: "/sessions/{session_id}",
    tag: "Sessions",
    auth: "project",
    summary: "Delete a session",
    description: "Removes an idle session with its history, outputs and own connections. Open streams close.",
    params: session,
    bodyType: "none",
    success: [{ status: 204, description: "The session is gone.", schema: null }],
    errors: [...one, "session_active", ...usual],
  },
  post_sessions_session_id_stop: {
    operationId: "post_sessions_session_id_stop",
    method: "POST",
    path: "/sessions/{session_id}/stop",
    tag: "Sessions",
    auth: "project",
    summary: "Stop a run",
    description:
      "Ends the named run, cancels its open calls and pauses the session. A run that has ended stays as it is.",
    params: session,
    body: StopRun,
    bodyType: "json",
    success: [
      { status: 200, description: "The run has ended, by this request or earlier.", schema: Session },
      { status: 202, description: "The run is being stopped.", schema: Session },
    ],
    errors: [...one, ...jsonBody, "run_not_active", ...usual],
  },
  post_sessions_session_id_pause: {
    operationId: "post_sessions_session_id_pause",
    method: "POST",
    path: "/sessions/{session_id}/pause",
    tag: "Sessions",
    auth: "project",
    summary: "Pause a session",
    description: "Lets what is under way settle and starts nothing more. The run and the queue are kept.",
    params: session,
    bodyType: "none",
    success: [
      { status: 200, description: "The session is paused.", schema: Session },
      {
        status: 202,
        description: "The session pauses as soon as what is under way has settled.",
        schema: Session,
      },
    ],
    errors: [...one, "session_archived", ...usual],
  },
  post_sessions_session_id_resume: {
    operationId: "post_sessions_session_id_resume",
    method: "POST",
    path: "/sessions/{session_id}/resume",
    tag: "Sessions",
    auth: "project",
    summary: "Resume a session",
    description: "Lets the paused run go on, or else starts the oldest queued input.",
    params: session,
    bodyType: "none",
    success: [{ status: 200, description: "The session is active.", schema: Session }],
    errors: [...one, "session_archived", "session_pausing", "run_stopping", "run_interrupted", ...usual],
  },
  post_sessions_session_id_archive: {
    operationId: "post_sessions_session_id_archive",
    method: "POST",
    path: "/sessions/{session_id}/archive",
    tag: "Sessions",
    auth: "project",
    summary: "Archive a session",
    description: "Makes an idle session read-only for good and cancels what is queued.",
    params: session,
    bodyType: "none",
    success: [{ status: 200, description: "The archived session.", schema: Session }],
    errors: [...one, "session_active", ...usual],
  },
} as const satisfies Record<string, Route>;
