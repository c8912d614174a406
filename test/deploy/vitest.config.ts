import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** The API's tests and what can be seen of a deployed stack only. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../.."),
    include: ["test/api/**/*.test.ts", "test/deploy/*.scenario.ts"],
    // One test after the other: each invocation under way is a process of its own.
    maxWorkers: 1,
    maxConcurrency: 1,
    testTimeout: 60_000,
    hookTimeout: 90_000,
    reporters: ["default"],
  },
});
