/** Runs a script and leaves its runtime open: the process has to end all the same. */
import { createScriptRuntime } from "../../adapters/script/runtime.ts";

const runtime = createScriptRuntime();
const source = `const date = new Date(0);
  return [date.getHours(), date.getTimezoneOffset(), date, String(date), new Date(2026, 6, 1).getTime()];`;
const script = await runtime.start(
  { source, seed: "", startedAt: 0, memory: {}, cpuMs: 5_000 },
  new AbortController().signal,
);
const progress = await script.step([]);
await script.close();
console.log(progress.status === "finished" ? progress.output : progress);
