import { Missing } from "./python.ts";

const started = Date.now();

/** Prints a line with the seconds since the start. */
export const say = (text: string): void =>
  console.log(`[${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s] ${text}`);

/** Aborted when somebody asks the process to end, and after the time, in minutes. */
export function timeLimit(minutes: number): AbortSignal {
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.once(name, () => interrupted.abort(new Error(`${name} came`)));
  return AbortSignal.any([interrupted.signal, AbortSignal.timeout(minutes * 60_000)]);
}

/** Runs a script that may lack what it needs: says so and is done; any other error fails the process. */
export async function runScript(signal: AbortSignal, script: () => Promise<void>): Promise<void> {
  await script().catch((error: unknown) => {
    if (error instanceof Missing) return console.log(`skipped: the deployment test: ${error.message}`);
    console.error(signal.aborted ? signal.reason : error);
    process.exitCode = 1;
  });
}
