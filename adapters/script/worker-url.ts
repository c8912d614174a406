import { existsSync } from "node:fs";

/**
 * The file in which a worker starts: `script-worker.mjs` beside the running module, where a bundle has it
 * (`worker.ts` bundled as an ES module), else the source itself. The running module must be an ES module.
 */
export function workerUrl(): URL {
  const bundled = new URL("./script-worker.mjs", import.meta.url);
  return existsSync(bundled) ? bundled : new URL("./worker.ts", import.meta.url);
}
