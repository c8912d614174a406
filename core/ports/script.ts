import type { Json } from "../../contract/json.ts";

/** A tool call that a script made: `ordinal` counts the script's calls from 0, in the order they were made. */
export type ScriptCall = { readonly ordinal: number; readonly tool: string; readonly arguments: Json };

/** How one call settled. A failure rejects the script's promise with an error that has this code and message. */
export type Settlement = {
  readonly ordinal: number;
  /** Epoch milliseconds: the script's clock is set to it. */
  readonly at: number;
} & (
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }
);

export type ScriptOptions = {
  readonly source: string;
  /** Seeds `Math.random`. The same seed, source and settlements give the same run. */
  readonly seed: string;
  /** Epoch milliseconds the script's clock shows until the first settlement. */
  readonly startedAt: number;
  /** What `load(key)` finds: values stored by earlier scripts of the session. */
  readonly memory: Readonly<Record<string, Json>>;
  /** CPU budget in milliseconds, time spent waiting for tools left out. */
  readonly cpuMs: number;
};

export type ScriptProgress =
  /** Nothing more happens without a settlement. `calls` are those made since the last step. */
  | { readonly status: "blocked"; readonly calls: readonly ScriptCall[] }
  | {
      readonly status: "finished";
      /** Printed lines, then the returned value as JSON (`undefined` prints nothing). */
      readonly output: string;
      readonly memory: Readonly<Record<string, Json>>;
      /** Calls made since the last step: the script did not wait for them. */
      readonly calls: readonly ScriptCall[];
    }
  /**
   * The script threw, used up a limit, or was interrupted; it stored nothing. `output` is what it had printed. One
   * that threw has its calls since the last step here; those of one that was interrupted went with it.
   */
  | {
      readonly status: "failed";
      readonly code: string;
      readonly message: string;
      readonly output: string;
      readonly calls: readonly ScriptCall[];
    };

/**
 * One script being run. `step` settles the given calls one at a time, in order, running the script
 * until it blocks after each, and reports where it stands. After `finished` or `failed` it is over.
 */
export type RunningScript = {
  step(settlements: readonly Settlement[]): Promise<ScriptProgress>;
  close(): Promise<void>;
};

export type ScriptRuntime = {
  start(options: ScriptOptions, signal: AbortSignal): Promise<RunningScript>;
};
