import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What takes minutes: one at a time, each with its progress. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, "../.."),
    include: ["test/soak/*.soak.ts"],
    maxWorkers: 1,
    reporters: ["verbose"],
  },
});
