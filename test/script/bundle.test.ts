import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const source = (path: string) => fileURLToPath(new URL(`../../adapters/script/${path}`, import.meta.url));
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "script-bundle-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const MAIN = `import { createScriptRuntime } from ${JSON.stringify(source("runtime.ts"))};
  const runtime = createScriptRuntime();
  const script = await runtime.start(
    { source: "return [await tools.add({ n: 1 }), Date.now()]", seed: "", startedAt: 1, memory: {}, cpuMs: 5000 },
    new AbortController().signal,
  );
  const { calls } = await script.step([]);
  const progress = await script.step([{ ordinal: 0, at: 2, ok: true, value: "two" }]);
  await script.close();
  console.log(JSON.stringify({ calls, output: progress.output }));`;

describe("the bundled adapter", { timeout: 60_000 }, () => {
  it("runs a script under bare node with its worker beside it", async () => {
    const shared = { bundle: true, platform: "node", format: "esm", target: "node24", minify: true } as const;
    await build({
      ...shared,
      charset: "utf8",
      entryPoints: [source("worker.ts")],
      outfile: join(folder, "script-worker.mjs"),
    });
    await build({
      ...shared,
      stdin: { contents: MAIN, resolveDir: folder, loader: "ts" },
      nodePaths: [fileURLToPath(new URL("../../node_modules", import.meta.url))],
      outfile: join(folder, "main.mjs"),
    });
    expect((await readdir(folder)).sort()).toEqual(["main.mjs", "script-worker.mjs"]);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ["main.mjs"], {
      cwd: folder,
      env: {},
      timeout: 30_000,
    });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      calls: [{ ordinal: 0, tool: "add", arguments: { n: 1 } }],
      output: '["two",2]',
    });
  });
});
