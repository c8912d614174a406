/** What the server answers: objects whose fields must fit together. */
import { type Cases, without } from "./case.ts";
import * as sample from "./samples.ts";

const { failure, idleSession, later, output, pendingCall, platformCall, run, runningSession } = sample;

const ended = { ...run, ended_at: later };
const upload = { ...output, kind: "upload", path: null, session_id: null, run_id: null };
const applicationResult = { ...pendingCall, status: "completed", result: { total: 4200 } };

export const stateCases: readonly Cases[] = [
  {
    schema: "Session",
    accepts: {
      "an idle session": idleSession,
      "a running session": runningSession,
      "a pausing session with a run": { ...runningSession, status: "pausing" },
      "a paused session without a run": { ...idleSession, status: "paused", pending_input_count: 2 },
      "a stopping run in a pausing session": {
        ...runningSession,
        status: "pausing",
        active_run_status: "stopping",
      },
      "a waiting run with a pending call": {
        ...runningSession,
        active_run_status: "waiting_for_tools",
        pending_tool_calls: [pendingCall],
      },
      "an interrupted run with a pending call": {
        ...runningSession,
        status: "paused",
        active_run_status: "interrupted",
        pending_tool_calls: [pendingCall],
      },
      "an interrupted run without pending calls": {
        ...runningSession,
        status: "paused",
        active_run_status: "interrupted",
      },
      "an archived session": { ...idleSession, status: "archived" },
      "a session with a sandbox and a binding": {
        ...idleSession,
        environment: { type: "sandbox", image: "managed-default", network: { allowed_hosts: ["pypi.org"] } },
        sandbox_id: "sbx_S1",
        connections: [{ connection_id: "conn_C1", scope: "session", allowed_tools: ["search"] }],
      },
    },
    refuses: {
      "an interrupted run in an active session": { ...runningSession, active_run_status: "interrupted" },
      "a waiting run without pending calls": { ...runningSession, active_run_status: "waiting_for_tools" },
      "a running run with pending calls": { ...runningSession, pending_tool_calls: [pendingCall] },
      "an idle session with pending calls": { ...idleSession, pending_tool_calls: [pendingCall] },
      "a run without a status": { ...runningSession, active_run_status: null },
      "a status without a run": { ...idleSession, active_run_status: "running" },
      "an archived session with a run": { ...runningSession, status: "archived" },
      "a pausing session without a run": { ...idleSession, status: "pausing" },
      "an unknown key": { ...idleSession, usage: {} },
      "a missing title": without(idleSession, "title"),
      "a run id as session id": { ...idleSession, id: "run_A1" },
      "a time with an offset": { ...idleSession, updated_at: "2026-11-03T09:30:00+01:00" },
      "a day that does not exist": { ...idleSession, updated_at: "2026-02-29T09:30:00Z" },
      "a negative count": { ...idleSession, pending_input_count: -1 },
      "a settled call among the pending": {
        ...runningSession,
        active_run_status: "waiting_for_tools",
        pending_tool_calls: [{ ...pendingCall, status: "completed" }],
      },
    },
  },
  {
    schema: "Run",
    accepts: {
      "a running run": run,
      "a waiting run": { ...run, status: "waiting_for_tools" },
      "a stopping run": { ...run, status: "stopping" },
      "an interrupted run with its error": { ...run, status: "interrupted", error: failure },
      "a completed run with outputs": { ...ended, status: "completed", output_file_ids: ["file_F1"] },
      "a failed run with its error": { ...ended, status: "failed", error: failure },
      "a stopped run": { ...ended, status: "stopped" },
      "a run with a message": {
        ...run,
        messages: [sample.message],
        applied_input_ids: [run.initial_input_id],
      },
    },
    refuses: {
      "a running run with an end": { ...ended, status: "running" },
      "a running run with outputs": { ...run, output_file_ids: ["file_F1"] },
      "an interrupted run without an error": { ...run, status: "interrupted" },
      "an interrupted run with an end": { ...ended, status: "interrupted", error: failure },
      "a completed run without an end": { ...run, status: "completed" },
      "a failed run without an error": { ...ended, status: "failed" },
      "a failed run with outputs": {
        ...ended,
        status: "failed",
        error: failure,
        output_file_ids: ["file_F1"],
      },
      "a stopped run with outputs": { ...ended, status: "stopped", output_file_ids: ["file_F1"] },
      "an unknown status": { ...run, status: "queued" },
      "an unknown key": { ...run, model: "openai/o3" },
      "an error with a detail": { ...ended, status: "failed", error: { ...failure, detail: "x" } },
    },
  },
  {
    schema: "ToolCall",
    accepts: {
      "a running platform call": platformCall,
      "a completed platform call with text": { ...platformCall, status: "completed", result: "Found." },
      "a failed platform call": { ...platformCall, status: "failed", error: failure },
      "a cancelled MCP call": { ...platformCall, status: "cancelled", connection_id: "conn_C1" },
      "a requested application call": pendingCall,
      "an application call completed with null": { ...pendingCall, status: "completed" },
      "an application call completed with a list": {
        ...pendingCall,
        status: "completed",
        result: [1, "a", null],
      },
      "a failed application call": { ...pendingCall, status: "failed", error: failure },
      "a cancelled application call with its error": { ...pendingCall, status: "cancelled", error: failure },
    },
    refuses: {
      "a requested platform call": { ...platformCall, status: "requested" },
      "a running application call": { ...pendingCall, status: "running" },
      "a failed call without an error": { ...platformCall, status: "failed" },
      "a platform call with a deadline": { ...platformCall, deadline_at: later },
      "an application call without a deadline": { ...pendingCall, deadline_at: null },
      "an application call on a connection": { ...pendingCall, connection_id: "conn_C1" },
      "a platform result that is not text": { ...platformCall, status: "completed", result: { a: 1 } },
      "arguments that are a list": { ...platformCall, arguments: [] },
      "a missing result": without(platformCall, "result"),
      "an unknown key": { ...platformCall, started_at: later },
    },
  },
  {
    schema: "ApplicationResultCall",
    accepts: {
      "a completed call": applicationResult,
      "a failed call": { ...applicationResult, status: "failed", result: null, error: failure },
    },
    refuses: {
      "a completed call with an error": { ...applicationResult, error: failure },
      "a failed call with a result": { ...applicationResult, status: "failed", error: failure },
      "a failed call without an error": { ...applicationResult, status: "failed", result: null },
      "a cancelled call": { ...applicationResult, status: "cancelled" },
    },
  },
  {
    schema: "Connection",
    accepts: {
      "a reusable connection": sample.connection,
      "a session's own connection": { ...sample.connection, scope: "session", session_id: "ses_A1" },
    },
    refuses: {
      "a reusable connection with an owner": { ...sample.connection, session_id: "ses_A1" },
      "a session's own connection without an owner": { ...sample.connection, scope: "session" },
      "headers in an answer": { ...sample.connection, headers: {} },
    },
  },
  {
    schema: "File",
    accepts: { "an output": output, "an upload": upload },
    refuses: {
      "an upload with a path": { ...upload, path: output.path },
      "an output without a run": { ...output, run_id: null },
      "an output outside the outputs": { ...output, path: "/workspace/inputs/a.txt" },
      "a path that climbs": { ...output, path: "/workspace/outputs/../a.txt" },
      "a path with an empty part": { ...output, path: "/workspace/outputs//a.txt" },
      "a path with a line break": { ...output, path: "/workspace/outputs/a\n.txt" },
      "a path that ends in a line break": { ...output, path: "/workspace/outputs/a.txt\n" },
      "a path with NUL": { ...output, path: "/workspace/outputs/a\0.txt" },
      "a fractional size": { ...output, size_bytes: 1.5 },
    },
  },
];
