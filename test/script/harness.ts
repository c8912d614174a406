import { afterAll, beforeAll, vi } from "vitest";
import { createScriptRuntime } from "../../adapters/script/runtime.ts";
import type { Json } from "../../contract/json.ts";
import type {
  RunningScript,
  ScriptCall,
  ScriptOptions,
  ScriptProgress,
  Settlement,
} from "../../core/ports/script.ts";

/** Scripts get CPU time; the clock on the wall may run much faster on a busy machine. */
vi.setConfig({ testTimeout: 60_000 });

export const STARTED_AT = Date.parse("2026-03-01T12:00:00.000Z");
export const never = new AbortController().signal;

export type Runtime = ReturnType<typeof createScriptRuntime>;
type WithoutCalls<Progress> = Progress extends unknown ? Omit<Progress, "calls"> : never;
export type Ended = WithoutCalls<Exclude<ScriptProgress, { status: "blocked" }>>;
/** What a tool gives, or the error it fails with. */
export type Tool = (args: Json, call: ScriptCall) => Json | { readonly failure: string };

export const options = (source: string, more: Partial<ScriptOptions> = {}): ScriptOptions => ({
  source,
  seed: "seed",
  startedAt: STARTED_AT,
  memory: {},
  cpuMs: 5_000,
  ...more,
});

/** A runtime for the tests of one file. */
export function useRuntime(): {
  start(source: string, more?: Partial<ScriptOptions>): Promise<RunningScript>;
} {
  let runtime: Runtime | null = null;
  beforeAll(() => {
    runtime = createScriptRuntime();
  });
  afterAll(() => runtime?.close());
  return {
    start(source, more) {
      if (runtime === null) throw new Error("start scripts inside tests");
      return runtime.start(options(source, more), never);
    },
  };
}

/** Runs a script to its end, answering its calls in the order they were made. */
export async function finish(
  starting: Promise<RunningScript>,
  tools: Readonly<Record<string, Tool>> = {},
): Promise<Ended> {
  const script = await starting;
  try {
    let progress = await script.step([]);
    while (progress.status === "blocked") {
      progress = await script.step(progress.calls.map((call) => answer(call, tools)));
    }
    const { calls: _, ...ended } = progress;
    return ended;
  } finally {
    await script.close();
  }
}

function answer(call: ScriptCall, tools: Readonly<Record<string, Tool>>): Settlement {
  const at = STARTED_AT + call.ordinal + 1;
  const value = tools[call.tool]?.(call.arguments, call) ?? null;
  return isFailure(value)
    ? { ordinal: call.ordinal, at, ok: false, error: { code: value.failure, message: `${call.tool} failed` } }
    : { ordinal: call.ordinal, at, ok: true, value };
}

const isFailure = (value: Json | { readonly failure: string }): value is { readonly failure: string } =>
  typeof value === "object" && value !== null && "failure" in value && typeof value.failure === "string";

export const ok = (ordinal: number, value: Json = null, at = STARTED_AT): Settlement => ({
  ordinal,
  at,
  ok: true,
  value,
});
