/**
 * What every request that controls a session is answered in every state of it, and what it adds to the history:
 * the tables and sentences of the reference. A row without a state is not asked there.
 */
import type { ErrorCode } from "../../../contract/errors.ts";
import type { EventType } from "../../../contract/schemas/events.ts";
import type { Session } from "../../../contract/schemas/sessions.ts";
import { settledOutput } from "../refusals/world.ts";
import type { Scene, SceneName } from "./scenes.ts";

/** An error; or a status and what is added, which is nothing where the session is so already. */
export type Outcome =
  | { readonly code: ErrorCode }
  | { readonly status: number; readonly events: readonly EventType[]; readonly session?: Partial<Session> };

type Request = { readonly method: "POST" | "DELETE"; readonly path: string; readonly body?: object };
export type Row = {
  readonly request: (scene: Scene) => Request;
  readonly in: Readonly<Partial<Record<SceneName, Outcome>>>;
};

const no = (code: ErrorCode): Outcome => ({ code });
const yes = (status: number, events: readonly EventType[], session?: Partial<Session>): Outcome =>
  session === undefined ? { status, events } : { status, events, session };
const same = (status: number, session?: Partial<Session>): Outcome => yes(status, [], session);

const withRun = [
  "running",
  "waiting",
  "pausing",
  "pausing, waiting",
  "paused, running",
  "paused, waiting",
  "stopping",
  "stopping, waiting",
  "interrupted",
] as const satisfies readonly SceneName[];
const withQueue = [...withRun, "paused, idle", "stopped", "failed"] as const;
const every = [...withQueue, "idle", "completed", "archived"] as const;
const pausedStates = [
  "pausing",
  "pausing, waiting",
  "paused, idle",
  "paused, running",
  "paused, waiting",
  "stopped",
  "failed",
] as const;

/** One outcome in several states. */
const all = (names: readonly SceneName[], outcome: Outcome): Partial<Record<SceneName, Outcome>> =>
  Object.fromEntries(names.map((name) => [name, outcome]));

const control =
  (what: string, body?: (scene: Scene) => object): Row["request"] =>
  (scene) => ({
    method: "POST",
    path: `/sessions/${scene.session}/${what}`,
    ...(body === undefined ? {} : { body: body(scene) }),
  });
const input = (mode: string) =>
  control("inputs", () => ({ mode, content: [{ type: "text", text: "Something" }] }));
const result = (output: unknown) =>
  control("tool-results", ({ run, call }) => ({
    run_id: run,
    results: [{ call_id: call, success: true, output }],
  }));
const cancel =
  (which: "first" | "steered" | "queued"): Row["request"] =>
  (scene) => ({ method: "DELETE", path: `/sessions/${scene.session}/inputs/${scene[which]}` });

const updated = "session.updated";
const starts = yes(202, ["input.accepted", "run.started"]);
const queued = yes(202, ["input.accepted", updated]);
const bound = yes(202, ["input.accepted"]);
const stops = (...before: EventType[]): Outcome =>
  yes(202, [...before, updated], {
    status: "pausing",
    active_run_status: "stopping",
    pending_tool_calls: [],
    pending_input_count: 1,
  });
const startsQueued = yes(200, ["run.started", updated], {
  status: "active",
  active_run_status: "running",
  pending_input_count: 0,
});
const archives = (...before: EventType[]): Outcome =>
  yes(200, [...before, "session.archived"], {
    status: "archived",
    active_run_id: null,
    pending_input_count: 0,
  });
const settles = yes(200, ["tool.completed", updated]);

export const table: Readonly<Record<string, Row>> = {
  steering: {
    request: input("steer"),
    in: {
      ...all(["running", "waiting"], bound),
      ...all(["idle", "completed"], starts),
      ...all(pausedStates, no("session_paused")),
      interrupted: no("run_interrupted"),
      ...all(["stopping", "stopping, waiting"], no("run_stopping")),
      archived: no("session_archived"),
    },
  },
  "queued input": {
    request: input("queue"),
    in: {
      ...all(withQueue, queued),
      ...all(["idle", "completed"], starts),
      archived: no("session_archived"),
    },
  },
  "a stop of its run": {
    request: control("stop", ({ run }) => ({ run_id: run })),
    in: {
      running: stops(),
      waiting: stops("tool.cancelled"),
      pausing: stops(),
      "pausing, waiting": stops("tool.cancelled"),
      "paused, running": stops(),
      "paused, waiting": stops("tool.cancelled"),
      ...all(["stopping", "stopping, waiting"], same(202, { active_run_status: "stopping" })),
      interrupted: yes(200, ["tool.cancelled", "input.cancelled", "run.stopped", updated], {
        status: "paused",
        active_run_id: null,
        pending_tool_calls: [],
        pending_input_count: 1,
      }),
      ...all(["stopped", "failed"], same(200, { status: "paused", active_run_id: null })),
      completed: same(200, { status: "active" }),
      archived: same(200, { status: "archived" }),
    },
  },
  "a stop of a run that it never had": {
    request: control("stop", ({ session }) => ({ run_id: `${session.replace("ses_", "run_")}0000009999` })),
    in: all(every, no("run_not_active")),
  },
  "a stop of another session's run": {
    request: control("stop", () => ({ run_id: "run_01ARZ3NDEKTSV4RRFFQ69G5FAV0000000001" })),
    in: all(every, no("not_found")),
  },
  "a pause": {
    request: control("pause"),
    in: {
      ...all(["idle", "completed"], yes(200, [updated], { status: "paused", active_run_id: null })),
      ...all(["running", "waiting"], yes(202, [updated], { status: "pausing", pending_input_count: 1 })),
      ...all(["pausing", "pausing, waiting"], same(202, { status: "pausing" })),
      ...all(["stopping", "stopping, waiting"], same(202, { active_run_status: "stopping" })),
      ...all(["paused, idle", "paused, running", "paused, waiting"], same(200, { status: "paused" })),
      ...all(["stopped", "failed", "interrupted"], same(200, { status: "paused" })),
      archived: no("session_archived"),
    },
  },
  "a resume": {
    request: control("resume"),
    in: {
      ...all(["idle", "completed", "running", "waiting"], same(200, { status: "active" })),
      ...all(["pausing", "pausing, waiting"], no("session_pausing")),
      ...all(["paused, idle", "stopped", "failed"], startsQueued),
      "paused, running": yes(200, [updated], { status: "active", active_run_status: "running" }),
      "paused, waiting": yes(200, [updated], { status: "active", active_run_status: "waiting_for_tools" }),
      ...all(["stopping", "stopping, waiting"], no("run_stopping")),
      interrupted: no("run_interrupted"),
      archived: no("session_archived"),
    },
  },
  "an archive": {
    request: control("archive"),
    in: {
      ...all(["idle", "completed"], archives()),
      ...all(["paused, idle", "stopped", "failed"], archives("input.cancelled")),
      ...all(withRun, no("session_active")),
      archived: same(200, { status: "archived" }),
    },
  },
  "its deletion": {
    request: ({ session }) => ({ method: "DELETE", path: `/sessions/${session}` }),
    in: all(withRun, no("session_active")),
  },
  "the cancellation of a queued input": {
    request: cancel("queued"),
    in: { ...all(withQueue, yes(204, ["input.cancelled", updated])), archived: same(204) },
  },
  "the cancellation of an input bound to its run": {
    request: cancel("steered"),
    in: all([...withRun, "stopped", "failed"], no("input_not_queued")),
  },
  "the cancellation of its run's first input": {
    request: cancel("first"),
    in: all([...withRun, "stopped", "failed", "completed", "archived"], no("input_not_queued")),
  },
  "a result": {
    request: result(settledOutput),
    in: {
      ...all(["waiting", "pausing, waiting", "paused, waiting"], settles),
      interrupted: yes(200, ["tool.completed"]),
      ...all(["stopping, waiting", "stopped"], no("tool_call_not_pending")),
      // It has it: the receipt is given again.
      ...all(["completed", "archived"], same(200)),
    },
  },
  "another result for a call that has one": {
    request: result({ other: true }),
    in: all(["completed", "archived"], no("tool_result_conflict")),
  },
};
