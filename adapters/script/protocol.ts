/** What the host and a worker say to each other. Values that a script sees or made are JSON text. */
import * as z from "zod";

export type SettlementText = {
  readonly ordinal: number;
  readonly at: number;
  readonly ok: boolean;
  /** The value, or `{ code, message }`. */
  readonly json: string;
};

export type ScriptText = {
  readonly source: string;
  /** Four 32-bit numbers for `Math.random`. */
  readonly seed: readonly [number, number, number, number];
  readonly startedAt: number;
  readonly memory: readonly (readonly [string, string])[];
  readonly cpuMs: number;
  readonly board: SharedArrayBuffer;
};

export type ToWorker =
  /** Runs a script, or goes on with it (`script` is null then). Answered by one `Reply`. */
  | {
      readonly type: "step";
      readonly script: ScriptText | null;
      readonly settlements: readonly SettlementText[];
    }
  /** Forgets the script. Answered by `ready`. */
  | { readonly type: "reset" };

const CallText = z.object({
  ordinal: z.int().nonnegative(),
  tool: z.string(),
  arguments: z.string(),
});
export type CallText = z.infer<typeof CallText>;

const FailureCode = z.enum([
  "script_error",
  "script_syntax_error",
  "script_cpu_limit",
  "script_memory_limit",
  "script_stalled",
]);
/** `code` of a failed script. */
export type FailureCode = z.infer<typeof FailureCode>;

/**
 * The host reads what a worker says with this: after a script has run in it, a worker is not trusted.
 * `refused` says that a settlement fits no waiting call. `broken` says that the interpreter is unusable.
 */
export const FromWorker = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("blocked"), calls: z.array(CallText), usedMs: z.number() }),
  z.object({
    type: z.literal("finished"),
    memory: z.array(z.tuple([z.string(), z.string()])),
    calls: z.array(CallText),
  }),
  z.object({
    type: z.literal("failed"),
    code: FailureCode,
    message: z.string(),
    broken: z.boolean(),
    calls: z.array(CallText),
  }),
  z.object({ type: z.literal("refused"), message: z.string() }),
]);
export type FromWorker = z.infer<typeof FromWorker>;
export type Reply = Exclude<FromWorker, { type: "ready" }>;
