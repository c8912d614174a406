/**
 * The process in which schemas are compiled and values validated, and the thread in it that ends it when that takes
 * too much. Bundle this file as `schema-worker.mjs` beside the function that uses it.
 */
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { guard } from "./guard.ts";

if (isMainThread) {
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  new Worker(new URL(import.meta.url), { workerData: { turns, cpuMs: Number(process.argv[2]) } });
  const { serve } = await import("./serve.ts");
  serve(turns);
} else {
  guard(workerData);
}
