import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { version } from "./python.ts";

/** Debian's python3 comes without what makes a virtual environment. */
const hasVenv = spawnSync("python3", ["-c", "import venv, ensurepip"]).status === 0;

/** Installs into a folder of its own and does nothing after it. */
const script = `
  import { runScript } from ${JSON.stringify(join(import.meta.dirname, "progress.ts"))};
  import { installEmulator } from ${JSON.stringify(join(import.meta.dirname, "python.ts"))};
  const signal = AbortSignal.timeout(60_000);
  await runScript(signal, () => installEmulator(signal, process.argv[1]));
`;

let cache = "";
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "stepyard-install-"));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

/** What it prints; rejects unless it exits with 0. */
const install = async (variables: Readonly<Record<string, string>>): Promise<string> => {
  const env = { PATH: process.env["PATH"], HOME: cache, PIP_CONFIG_FILE: "/dev/null", ...variables };
  const args = ["--input-type=module", "--eval", script, cache];
  return (await promisify(execFile)(process.execPath, args, { env, cwd: cache })).stdout;
};

/** An address of loopback where nothing listens any more. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("the server had no port");
  return `http://127.0.0.1:${address.port}/simple`;
}

const needsIndex = /^skipped: the deployment test: a Python package index is needed: .+\n$/;

describe("the emulator's installation", { timeout: 60_000 }, () => {
  it("is skipped with a word about python3 where there is none", async () => {
    const said = await install({ PATH: cache });
    expect(said).toMatch(/^skipped: the deployment test: python3 with its venv module is needed: .+\n$/);
    expect(existsSync(join(cache, `ministack-${version}`))).toBe(false);
  });

  it.skipIf(!hasVenv)("is skipped where the package index refuses", async () => {
    expect(await install({ PIP_INDEX_URL: await closedPort() })).toMatch(needsIndex);
    expect(existsSync(join(cache, `ministack-${version}`))).toBe(false);
  });
});
