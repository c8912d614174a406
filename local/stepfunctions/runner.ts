import type { Draft, Invocation, Machine } from "./draft.ts";
import { messageOf } from "./errors.ts";
import type { Execution } from "./executions.ts";
import { advance, expire } from "./interpreter.ts";
import { deadlineOf, type Head, type TaskPosition } from "./records.ts";
import type { Store } from "./store.ts";
import { type InvokeResult, returnTask } from "./task.ts";
import type { Alarm } from "./timers.ts";

/**
 * Calls a function. `signal` is aborted when the server closes and never on a task's timeout: a Lambda
 * function runs on then as well, and its late result is ignored.
 */
export type Invoke = (
  functionArnOrName: string,
  payload: unknown,
  context: { readonly signal: AbortSignal },
) => Promise<InvokeResult>;

/** What has happened since the server was started. */
export type Counters = {
  executions: number;
  transitions: number;
  invocations: number;
  settledTokens: number;
};

/** A part of an execution's work, done on a draft of it. */
export type Step = (draft: Draft) => Promise<void> | void;

/** Moves executions: one step at a time each, every step durable before its effects. */
export type Runner = {
  /** Does a step and what follows from it; resolves when the step is durable. Does nothing to an ended execution. */
  step(name: string, step: Step): Promise<void>;
  /** Runs something between two steps of an execution. */
  between<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Takes up what was running when the store was last closed or its process died. */
  resume(): void;
  /** Stops timers and effects; running executions stay where they are. */
  close(): Promise<void>;
};

export type RunnerOptions = {
  readonly store: Store;
  readonly machine: Machine;
  readonly invoke: Invoke;
  readonly now: () => number;
  readonly alarm: Alarm;
  readonly counters: Counters;
  readonly notify: (head: Head) => void;
  readonly report: (problem: unknown) => void;
};

/** Makes the runner of a store's executions. */
export function createRunner(options: RunnerOptions): Runner {
  const { store, machine, now, alarm, counters, notify, report } = options;
  const lanes = new Map<string, Promise<void>>();
  const alarms = new Map<string, () => void>();
  const closing = new AbortController();

  function between<T>(name: string, work: () => Promise<T>): Promise<T> {
    const done = (lanes.get(name) ?? Promise.resolve()).then(work);
    const lane = done.then(
      () => undefined,
      () => undefined,
    );
    lanes.set(name, lane);
    void lane.then(() => {
      if (lanes.get(name) === lane) lanes.delete(name);
    });
    return done;
  }

  async function step(name: string, work: Step): Promise<void> {
    const execution = store.executions.get(name);
    if (closing.signal.aborted || execution?.head.status !== "RUNNING") return;
    const draft = await draftOf(execution, work);
    if (draft.head === execution.head && draft.events.length === 0) return follow(draft);
    counters.transitions += draft.head.transitions - execution.head.transitions;
    await store.commit({ head: draft.head, events: draft.events });
    follow(draft);
  }

  async function draftOf(execution: Execution, work: Step): Promise<Draft> {
    const definition = store.definition(execution.head.definition);
    const draft: Draft = {
      machine,
      definition: definition ?? store.current,
      now: now(),
      priorEvents: execution.history.length,
      events: [],
      head: execution.head,
    };
    await advance(draft, () => {
      if (!definition)
        throw new Error("The definition that this execution was started with no longer runs here.");
      return work(draft);
    });
    return draft;
  }

  /** The effects of a durable step. */
  function follow(draft: Draft): void {
    const { head, invocation } = draft;
    watch(head);
    if (closing.signal.aborted) return;
    if (head.status !== "RUNNING") notify(head);
    if (invocation) call(head.name, invocation);
    // Another turn of the event loop, so that an execution that only loops leaves room for the rest.
    if (head.position?.at === "state") setImmediate(() => later(head.name, () => undefined));
  }

  function watch(head: Head): void {
    alarms.get(head.name)?.();
    alarms.delete(head.name);
    const deadline = head.status === "RUNNING" ? deadlineOf(head) : undefined;
    if (deadline === undefined || closing.signal.aborted) return;
    alarms.set(
      head.name,
      alarm(deadline, () => later(head.name, expire)),
    );
  }

  function later(name: string, work: Step): void {
    between(name, () => step(name, work)).catch(report);
  }

  function call(name: string, { id, functionName, payload }: Invocation): void {
    counters.invocations += 1;
    const context = { signal: closing.signal };
    Promise.resolve()
      .then(() => options.invoke(functionName, payload, context))
      .catch((thrown): InvokeResult => ({ ok: false, errorType: "", errorMessage: messageOf(thrown) }))
      .then((result) =>
        later(
          name,
          ifCalling(id, (draft, position) => returnTask(draft, position, result)),
        ),
      );
  }

  function resumeOne({ head }: Execution): void {
    const position = head.position;
    if (position?.at === "state") {
      later(head.name, () => undefined);
    } else if (position?.at === "task" && !position.returned) {
      const { invocation } = position;
      later(
        head.name,
        ifCalling(invocation, (draft, task) => returnTask(draft, task, lostWithProcess)),
      );
    } else {
      watch(head);
    }
  }

  return {
    step,
    between,
    resume() {
      for (const execution of store.executions.running()) resumeOne(execution);
    },
    async close() {
      closing.abort();
      for (const cancel of alarms.values()) cancel();
      alarms.clear();
      await Promise.all(lanes.values());
    },
  };
}

const lostWithProcess: InvokeResult = {
  ok: false,
  errorType: "",
  errorMessage: "The process ended while the function ran, so it is not known what the function did.",
};

/** A step for the function call with an id, if its task still waits for that call's return. */
function ifCalling(id: string, work: (draft: Draft, position: TaskPosition) => Promise<void>): Step {
  return (draft) => {
    const position = draft.head.position;
    if (position?.at === "task" && position.invocation === id && !position.returned)
      return work(draft, position);
  };
}
