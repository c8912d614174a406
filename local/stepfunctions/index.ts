import { parseDefinition } from "./definition.ts";
import { executionArn, type Machine } from "./draft.ts";
import { createOperations } from "./operations.ts";
import { createApi } from "./protocol.ts";
import type { Head } from "./records.ts";
import { type StatusChange, statusChange } from "./render.ts";
import { type Counters, createRunner, type Invoke } from "./runner.ts";
import { serve } from "./server.ts";
import { openStore } from "./store.ts";
import { createAlarm } from "./timers.ts";

export { parseDefinition } from "./definition.ts";
export { DefinitionError } from "./errors.ts";
export type { StatusChange } from "./render.ts";
export type { Counters, Invoke } from "./runner.ts";
export type { InvokeResult } from "./task.ts";

/** What a local Step Functions is started with. */
export type StepFunctionsOptions = {
  /** The synthesized definition, its tokens resolved. */
  readonly definition: object;
  readonly stateMachineArn: string;
  /** Where executions are kept, one process at a time; in memory only without one. */
  readonly directory?: string;
  readonly host?: string;
  /** 0, the default, takes any free port. */
  readonly port?: number;
  readonly invoke: Invoke;
  /** EventBridge's detail for every change of status, after it is durable; best effort, as on AWS. */
  readonly onStatusChange?: (detail: StatusChange) => void | Promise<void>;
  /** The clock in milliseconds. One that is not the system's may jump and is polled for it: for tests. */
  readonly now?: () => number;
  /** Ended executions and their events to keep: 1,000 and 250,000 by default. Names are kept for ever. */
  readonly retention?: { readonly executions: number; readonly events: number };
  /** Bytes of journal after which it is first rewritten, 8 MiB by default. */
  readonly compactAfterBytes?: number;
};

/** A running local Step Functions. */
export type StepFunctions = {
  readonly url: string;
  /** States entered and retries made by an execution, as AWS bills them; undefined for one that is not known. */
  transitions(executionArn: string): number | undefined;
  /** Counted since the start of this server. */
  readonly counters: Readonly<Counters>;
  /** Stops serving and all timers. Executions stay as they are and go on at the next start. */
  close(): Promise<void>;
};

const defaultRetention = { executions: 1000, events: 250_000 };

/**
 * Starts a Step Functions for one state machine. What was running when its directory was last in use
 * goes on in the next turn of the event loop: Waits and tokens with their absolute deadlines, functions
 * that were running as failed with Lambda.Unknown.
 * @throws DefinitionError when the definition has something that does not run here.
 */
export async function startStepFunctions(options: StepFunctionsOptions): Promise<StepFunctions> {
  const now = options.now ?? Date.now;
  const machine = machineOf(options.stateMachineArn);
  const counters: Counters = { executions: 0, transitions: 0, invocations: 0, settledTokens: 0 };
  const store = await openStore({
    directory: options.directory,
    stateMachineArn: options.stateMachineArn,
    definition: parseDefinition(options.definition),
    now: now(),
    retention: options.retention ?? defaultRetention,
    compactAfterBytes: options.compactAfterBytes,
  });
  const notify = (head: Head) => {
    Promise.resolve()
      .then(() => options.onStatusChange?.(statusChange(machine, head)))
      .catch(report);
  };
  const alarm = createAlarm(options.now);
  const runner = createRunner({
    store,
    machine,
    invoke: options.invoke,
    now,
    alarm,
    counters,
    notify,
    report,
  });
  const operations = createOperations({ store, runner, machine, now, counters, notify, report });
  const api = createApi({ store, machine, operations });
  const listening = serve({ api, host: options.host ?? "127.0.0.1", port: options.port ?? 0, report });
  const server = await listening.catch(async (thrown) => {
    await store.close();
    throw thrown;
  });
  // The caller needs the URL before the functions that are called for it.
  setImmediate(() => runner.resume());

  return {
    url: server.url,
    transitions(arn) {
      const name = arn.slice(arn.lastIndexOf(":") + 1);
      if (executionArn(machine, name) !== arn) return undefined;
      return store.executions.get(name)?.head.transitions;
    },
    counters,
    async close() {
      await server.close();
      await runner.close();
      await store.close();
    },
  };
}

function machineOf(stateMachineArn: string): Machine {
  const [, , , region, account, kind, name] = stateMachineArn.split(":");
  if (region === undefined || account === undefined || kind !== "stateMachine" || name === undefined) {
    throw new Error(
      `'${stateMachineArn}' is not the ARN of a state machine: arn:aws:states:REGION:ACCOUNT:stateMachine:NAME`,
    );
  }
  return { stateMachineArn, name, region, roleArn: `arn:aws:iam::${account}:role/${name}` };
}

function report(problem: unknown): void {
  console.error("local Step Functions:", problem);
}
