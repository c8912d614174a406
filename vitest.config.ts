import { defineConfig } from "vitest/config";
import { compileCache } from "./test/support/compile-cache.ts";

// Before the workers start, each of which loads what the others load.
Object.assign(process.env, compileCache);

/** CI counts from the runner's own report. */
const report = { outputFile: "node_modules/.cache/stepyard/tests.json" };

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Two cores: more workers than this only make timings worse. Files that share a deployed stack would see
    // what the others create.
    maxWorkers: process.env["STEPYARD_TEST_URL"] === undefined ? 2 : 1,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    reporters: process.env["CI"] ? ["default", ["json", report]] : ["default"],
  },
});
