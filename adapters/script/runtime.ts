import type { ScriptRuntime } from "../../core/ports/script.ts";
import { workerUrl } from "../system/worker-url.ts";
import { createPool } from "./pool.ts";
import { openRun } from "./run.ts";

export type ScriptRuntimeOptions = {
  /** How many idle workers are kept ready: 1 unless given. 0 starts one for each script. */
  readonly spare?: number;
  /** The worker's file, where it is not beside this module (see `workerUrl`). */
  readonly workerUrl?: URL;
};

/**
 * Runs scripts in QuickJS boxes, each in a WebAssembly instance of its own, in worker threads.
 *
 * - A step that settles several calls gives the same as steps that settle them one by one.
 * - `calls` are all calls made since the last step, also those that this step has settled. A script that is
 *   interrupted at a limit, or breaks its interpreter, reports none.
 * - `start` rejects, and `step` rejects, with the signal's reason when it is aborted; the worker is ended.
 * - `step` rejects with `ScriptMisuse` for a settlement that fits no waiting call, while another step runs,
 *   and after the script is over or closed.
 * - Codes of a failed script: `script_error`, `script_syntax_error`, `script_cpu_limit`,
 *   `script_memory_limit`, `script_stalled` (it waits, but for no call). Messages have at most 2,000
 *   characters, output at most 65,536. `limits.ts` has all limits.
 *
 * Idle workers do not keep the process alive. `close` ends all workers, those that run a script included.
 */
export function createScriptRuntime(
  options: ScriptRuntimeOptions = {},
): ScriptRuntime & { close(): Promise<void> } {
  const pool = createPool(
    options.workerUrl ?? workerUrl(import.meta.url, "script-worker"),
    options.spare ?? 1,
  );
  return {
    start: (script, signal) => openRun(pool, script, signal),
    close: () => pool.close(),
  };
}
