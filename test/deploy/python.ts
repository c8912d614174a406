import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, run } from "./commands.ts";

const requirements = join(import.meta.dirname, "requirements.txt");
const project = join(import.meta.dirname, "../..");

/** What this machine has not got; the test is skipped. */
export class Missing extends Error {
  override readonly name = "Missing";
}

/** The emulator's version, as pinned. */
export const version = /^ministack==(\S+)$/m.exec(readFileSync(requirements, "utf8"))?.[1] ?? "";

/** The index is asked twice at most, and given up after this many seconds of silence each time. */
const ASK_SECONDS = "5";
const INSTALL_SECONDS = "15";

/**
 * The Python that has the emulator, in a virtual environment of its own below `cache` that later runs find
 * again. Where the index does not answer it gives up within some 15 seconds.
 * @throws {Missing} when python3 or the package index cannot be reached.
 */
export async function installEmulator(
  signal: AbortSignal,
  cache = join(project, "node_modules/.cache/stepyard"),
): Promise<string> {
  const place = join(cache, `ministack-${version}`);
  const python = join(place, "bin/python3");
  const installed = join(place, "installed.txt");
  const pinned = readFileSync(requirements, "utf8");
  if (existsSync(installed) && readFileSync(installed, "utf8") === pinned) return python;

  const command = (name: string, ...args: string[]): Command => ({
    command: name,
    args,
    env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1" },
    cwd: project,
    signal,
  });
  const need = (what: string, needed: Command) =>
    run(needed).catch((error: unknown) => {
      signal.throwIfAborted();
      // Nothing of a half installation stays.
      rmSync(place, { recursive: true, force: true });
      throw new Missing(`${what}: ${error instanceof Error ? error.message.split("\n").at(-1) : error}`);
    });
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  await need("python3 with its venv module is needed", command("python3", "-m", "venv", place));
  const pip = (seconds: string, ...args: string[]) =>
    command(python, "-m", "pip", "--timeout", seconds, "--retries", "1", ...args);
  await need(
    "a Python package index is needed",
    pip(ASK_SECONDS, "download", "--no-deps", "--dest", join(place, "wheel"), `ministack==${version}`),
  );
  const wheels = ["--find-links", join(place, "wheel"), "--requirement", requirements];
  await run(pip(INSTALL_SECONDS, "install", "--quiet", ...wheels));
  writeFileSync(installed, pinned);
  return python;
}
