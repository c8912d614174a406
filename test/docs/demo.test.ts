import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod";

const run = promisify(execFile);
const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const { OPENAI_API_KEY: _, ANTHROPIC_API_KEY: __, ...withoutKeys } = process.env;

describe("the demo", () => {
  it("plays a text turn and a turn with a function call, and exits 0", async () => {
    const { stdout } = await run(process.execPath, [file("local/demo/main.ts"), "--json"], {
      env: withoutKeys,
    });
    const types = stdout
      .trim()
      .split("\n")
      .map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)).type);
    expect(types.filter((type) => type === "run.completed")).toHaveLength(2);
    expect(types).toContain("message.delta");
    expect(types.indexOf("tool.requested")).toBeLessThan(types.indexOf("tool.completed"));
    expect(types.lastIndexOf("message.completed")).toBeLessThan(types.lastIndexOf("run.completed"));
  });
});

describe("every command", () => {
  it.each(["local/main.ts", "local/demo/main.ts", "bench/main.ts"])(
    "%s explains itself with --help",
    async (path) => {
      const { stdout } = await run(process.execPath, [file(path), "--help"]);
      expect(stdout).toMatch(/^Usage: /);
      expect(stdout).toContain("--json");
    },
  );

  it("refuses an unknown option with exit code 1 and says which", async () => {
    const failed = run(process.execPath, [file("local/main.ts"), "--prot", "1"]);
    await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("--prot") });
  });
});
