/** Events and stream frames. */
import type { Cases } from "./case.ts";
import * as sample from "./samples.ts";

const { at, input, later, pendingCall, platformCall, run } = sample;

const event = (type: string, data: object) => ({
  id: "evt_A10000000012",
  session_id: "ses_A1",
  sequence: 12,
  created_at: at,
  type,
  data,
});
const delta = {
  type: "message.delta",
  session_id: "ses_A1",
  run_id: "run_A10000000003",
  message_id: "msg_A10000000009",
  index: 0,
  content_index: 0,
  text: "",
};

export const eventCases: readonly Cases[] = [
  {
    schema: "Event",
    accepts: {
      "session.created": event("session.created", { session: sample.idleSession }),
      "session.updated": event("session.updated", { session: sample.runningSession }),
      "session.archived": event("session.archived", {
        session: { ...sample.idleSession, status: "archived" },
      }),
      "input.accepted": event("input.accepted", { input }),
      "input.applied": event("input.applied", { input: { ...input, status: "applied", applied_at: at } }),
      "input.cancelled": event("input.cancelled", {
        input: { ...input, status: "cancelled", cancelled_at: at },
      }),
      "run.started": event("run.started", { run }),
      "run.completed": event("run.completed", { run: { ...run, status: "completed", ended_at: later } }),
      "run.failed": event("run.failed", {
        run: { ...run, status: "failed", ended_at: later, error: sample.failure },
      }),
      "run.interrupted": event("run.interrupted", {
        run: { ...run, status: "interrupted", error: sample.failure },
      }),
      "run.stopped": event("run.stopped", { run: { ...run, status: "stopped", ended_at: later } }),
      "message.completed": event("message.completed", { run_id: run.id, message: sample.message }),
      "message.completed without previews": event("message.completed", {
        run_id: run.id,
        message: sample.message,
        last_delta_index: -1,
      }),
      "tool.requested": event("tool.requested", { call: pendingCall }),
      "tool.started": event("tool.started", { call: platformCall }),
      "tool.completed": event("tool.completed", {
        call: { ...platformCall, status: "completed", result: "ok" },
      }),
      "tool.failed": event("tool.failed", {
        call: { ...pendingCall, status: "failed", error: sample.failure },
      }),
      "tool.cancelled": event("tool.cancelled", { call: { ...platformCall, status: "cancelled" } }),
      "sandbox.provisioned": event("sandbox.provisioned", { sandbox_id: "sbx_S1" }),
      "sandbox.lost": event("sandbox.lost", { sandbox_id: "sbx_S1", reason: "Gone." }),
      "file.created": event("file.created", { file: sample.output }),
    },
    refuses: {
      "an unknown type": event("run.paused", { run }),
      "a preview": event("message.delta", {}),
      "data of another type": event("run.started", { input }),
      "input.accepted with an applied input": event("input.accepted", {
        input: { ...input, status: "applied" },
      }),
      "run.started with a run that waits": event("run.started", {
        run: { ...run, status: "waiting_for_tools" },
      }),
      "run.failed with a run that breaks its rules": event("run.failed", {
        run: { ...run, status: "failed" },
      }),
      "tool.started with an application call": event("tool.started", { call: pendingCall }),
      "file.created with an upload": event("file.created", { file: { ...sample.output, kind: "upload" } }),
      "an unknown key in the data": event("run.started", { run, usage: {} }),
      "an unknown key in the run": event("run.started", { run: { ...run, usage: {} } }),
      "sequence 0": { ...event("run.started", { run }), sequence: 0 },
      "an unknown key": { ...event("run.started", { run }), project: "prj_P1" },
    },
  },
  {
    schema: "MessageDelta",
    accepts: { "an empty chunk": delta },
    refuses: { "an event id": { ...delta, id: "evt_A1" }, "index -1": { ...delta, index: -1 } },
  },
  {
    schema: "StreamItem",
    accepts: {
      "a committed event": { id: "evt_A1", event: "run.started", data: "{}" },
      "a preview": { event: "message.delta", data: "{}" },
    },
    refuses: {
      "a preview with an id": { id: "evt_A1", event: "message.delta", data: "{}" },
      "an event without an id": { event: "run.started", data: "{}" },
      "an unknown event": { id: "evt_A1", event: "ping", data: "{}" },
    },
  },
];
