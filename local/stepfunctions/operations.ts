import { randomUUID } from "node:crypto";
import { type Draft, endExecution, executionArn, type Machine } from "./draft.ts";
import { ApiError } from "./errors.ts";
import { expire } from "./interpreter.ts";
import { maximumNameLength } from "./limits.ts";
import type { Head, TaskPosition } from "./records.ts";
import type { Counters, Runner } from "./runner.ts";
import type { Store } from "./store.ts";
import { failTask, succeedTask } from "./task.ts";
import { executionOfToken } from "./tokens.ts";

/** How the holder of a task token settles it, or says that it is alive. */
export type TokenVerdict =
  | { readonly kind: "success"; readonly output: string }
  | { readonly kind: "failure"; readonly error: string; readonly cause: string }
  | { readonly kind: "heartbeat" };

/** What can be asked of a state machine from outside. */
export type Operations = {
  /** @throws ApiError InvalidName or ExecutionAlreadyExists. */
  start(name: string | undefined, input: string): Promise<Head>;
  /** Aborts an execution; an ended one stays as it is. @throws ApiError ExecutionDoesNotExist. */
  stop(name: string, error: string | undefined, cause: string | undefined): Promise<Head>;
  /** @throws ApiError InvalidToken, TaskDoesNotExist or TaskTimedOut. */
  settle(token: string, verdict: TokenVerdict): Promise<void>;
};

export type OperationsOptions = {
  readonly store: Store;
  readonly runner: Runner;
  readonly machine: Machine;
  readonly now: () => number;
  readonly counters: Counters;
  readonly notify: (head: Head) => void;
  readonly report: (problem: unknown) => void;
};

// What AWS forbids: white space, brackets, wildcards, its special characters and control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const forbiddenInName = /[\s<>{}[\]?*"#%\\^|~`$&,;:/\u0000-\u001f\u007f-\u009f]/;

/** Makes the operations of a state machine. */
export function createOperations(options: OperationsOptions): Operations {
  const { store, runner, machine, now, counters, notify, report } = options;

  async function startAgain(name: string, input: string): Promise<Head> {
    const existing = store.executions.get(name)?.head;
    if (existing?.status !== "RUNNING" || existing.input !== input) {
      throw new ApiError(
        "ExecutionAlreadyExists",
        `Execution Already Exists: '${executionArn(machine, name)}'`,
      );
    }
    await store.settled();
    return existing;
  }

  async function start(given: string | undefined, input: string): Promise<Head> {
    const name = given ?? randomUUID();
    checkName(name);
    if (store.executions.knows(name)) return startAgain(name, input);
    const head = firstHead(name, input);
    const event = {
      type: "ExecutionStarted",
      at: head.startDate,
      details: { input, roleArn: machine.roleArn },
    };
    const durable = store.commit({ head, events: [event] }).then(() => notify(head));
    counters.executions += 1;
    // The first step is behind the start in the journal, so its effects cannot come before it.
    runner.between(name, () => runner.step(name, () => undefined)).catch(report);
    await durable;
    return head;
  }

  function firstHead(name: string, input: string): Head {
    const { hash, startAt, timeoutSeconds } = store.current;
    const startDate = now();
    return {
      sequence: store.executions.nextSequence(),
      name,
      definition: hash,
      status: "RUNNING",
      input,
      startDate,
      timeoutAt: timeoutSeconds === undefined ? undefined : startDate + timeoutSeconds * 1000,
      transitions: 0,
      variables: {},
      position: { at: "state", state: startAt, input },
    };
  }

  async function stop(name: string, error: string | undefined, cause: string | undefined): Promise<Head> {
    await runner.between(name, () =>
      runner.step(name, (draft) => endExecution(draft, "ABORTED", { error, cause })),
    );
    await store.settled();
    const head = store.executions.get(name)?.head;
    if (!head)
      throw new ApiError(
        "ExecutionDoesNotExist",
        `Execution Does Not Exist: '${executionArn(machine, name)}'`,
      );
    return head;
  }

  async function settle(token: string, verdict: TokenVerdict): Promise<void> {
    const name = executionOfToken(token);
    if (name === undefined) throw new ApiError("InvalidToken", "Invalid Token: 'Invalid token'");
    if (!store.executions.knows(name)) {
      throw new ApiError("TaskDoesNotExist", "Task Does Not Exist: 'Provided task does not exist'");
    }
    await runner.between(name, async () => {
      // A token whose time is over is closed, even if its alarm has not rung yet.
      await runner.step(name, expire);
      const position = store.executions.get(name)?.head.position;
      if (position?.at !== "task" || position.token !== token) {
        throw new ApiError("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'");
      }
      await runner.step(name, (draft) => give(draft, position, verdict));
      if (verdict.kind !== "heartbeat") counters.settledTokens += 1;
    });
  }

  return { start, stop, settle };
}

function give(draft: Draft, position: TaskPosition, verdict: TokenVerdict): Promise<void> | void {
  if (verdict.kind === "success") return succeedTask(draft, position, verdict.output);
  if (verdict.kind === "failure") return failTask(draft, position, verdict.error, verdict.cause);
  draft.head = { ...draft.head, position: { ...position, heartbeatAt: draft.now } };
}

function checkName(name: string): void {
  if (name.length > 0 && name.length <= maximumNameLength && !forbiddenInName.test(name)) return;
  throw new ApiError("InvalidName", `Invalid Name: '${name}'`);
}
