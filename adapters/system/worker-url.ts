import { existsSync } from "node:fs";

/**
 * The file in which a worker starts: `<bundled>.mjs` beside the running module `at`, where a bundle has it (the
 * `worker.ts` beside it bundled as an ES module), else that source itself. The running module must be an ES module.
 */
export function workerUrl(at: string, bundled: string): URL {
  const beside = new URL(`./${bundled}.mjs`, at);
  return existsSync(beside) ? beside : new URL("./worker.ts", at);
}
