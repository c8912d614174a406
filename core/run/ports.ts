import type { Blobs } from "../ports/blobs.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executions } from "../ports/executions.ts";
import type { Log } from "../ports/log.ts";
import type { Model } from "../ports/model.ts";
import type { Previews, Wakeups } from "../ports/previews.ts";
import type { Schemas } from "../ports/schemas.ts";
import type { ScriptRuntime } from "../ports/script.ts";
import type { SessionStore } from "../ports/store.ts";

/** The secret of a stored model API key, or null when it is no longer there. */
export type ModelKeys = { secret(projectId: string, keyId: string): Promise<string | null> };

/** What the turn engine needs of the world. */
export type EnginePorts = {
  readonly store: SessionStore;
  readonly blobs: Blobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly executions: Executions;
  readonly model: Model;
  readonly modelKeys: ModelKeys;
  readonly scripts: ScriptRuntime;
  readonly schemas: Schemas;
  readonly previews: Previews;
  readonly wakeups: Wakeups;
  readonly settings: {
    /** How long an application has to answer a call. */
    readonly toolResultSeconds: number;
    readonly scriptCpuMs: number;
  };
};

/** The run that an execution carries, and its place in the state machine. */
export type Task = {
  readonly sessionId: string;
  readonly runId: string;
  readonly leg: number;
  /** How often the execution has come back to `Advance`. */
  readonly cycle: number;
};

/** How `Advance` leaves. */
export type Outcome =
  | { readonly next: "done" }
  /** Call again at once: the function's time is nearly up. */
  | { readonly next: "continue" }
  /** Call again when the token is released or the time has passed; `seen` is the last sequence that was looked at. */
  | { readonly next: "wait"; readonly seconds: number; readonly seen: number }
  /** Call again when the time has passed: nothing carries the run, its calls expire all the same. */
  | { readonly next: "rest"; readonly seconds: number };
