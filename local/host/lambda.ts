import { randomUUID } from "node:crypto";
import type { FunctionName } from "../../contract/env.ts";
import type { InvokeResult } from "../stepfunctions/index.ts";

/** Milliseconds that a function has, as the stack gives them. */
const TIMEOUTS: Readonly<Record<FunctionName, number>> = {
  api: 29_000,
  stream: 900_000,
  advance: 900_000,
  await: 30_000,
  lost: 30_000,
  fanout: 60_000,
  sweep: 55_000,
};

type Handler = (event: unknown, ...rest: unknown[]) => Promise<unknown>;

export type Lambdas = {
  /** Calls a handler as the Lambda service does: event and context cross as JSON. */
  invoke(name: FunctionName, event: unknown): Promise<unknown>;
  /** The same with a response stream, for handlers made by `awslambda.streamifyResponse`. */
  stream(name: FunctionName, event: unknown, output: NodeJS.WritableStream): Promise<void>;
  /** The outcome as the state machine sees it. */
  attempt(name: FunctionName, event: unknown): Promise<InvokeResult>;
  /** How often each function was called. */
  readonly invocations: Readonly<Record<FunctionName, number>>;
};

/** The functions of the stack in this process, loaded after the environment is set. */
export async function loadLambdas(): Promise<Lambdas> {
  const modules = {
    api: await import("../../functions/api.ts"),
    stream: await import("../../functions/stream.ts"),
    advance: await import("../../functions/advance.ts"),
    await: await import("../../functions/await.ts"),
    lost: await import("../../functions/lost.ts"),
    fanout: await import("../../functions/fanout.ts"),
    sweep: await import("../../functions/sweep.ts"),
  };
  const handlers = modules as unknown as Record<FunctionName, { handler: Handler }>;
  const invocations = { api: 0, stream: 0, advance: 0, await: 0, lost: 0, fanout: 0, sweep: 0 };
  const invoke = async (name: FunctionName, event: unknown): Promise<unknown> => {
    invocations[name] += 1;
    const result = await handlers[name].handler(throughJson(event), lambdaContext(name));
    return result === undefined ? null : throughJson(result);
  };
  return {
    invocations,
    invoke,
    stream: async (name, event, output) => {
      invocations[name] += 1;
      await handlers[name].handler(throughJson(event), output, lambdaContext(name));
    },
    attempt: async (name, event) => {
      try {
        return { ok: true, payload: await invoke(name, event) };
      } catch (error) {
        const { name: errorType, message: errorMessage } =
          error instanceof Error ? error : new Error(String(error));
        return { ok: false, errorType, errorMessage };
      }
    },
  };
}

function lambdaContext(name: FunctionName) {
  const deadline = Date.now() + TIMEOUTS[name];
  return {
    functionName: name,
    functionVersion: "$LATEST",
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
