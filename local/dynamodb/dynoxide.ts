import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { dropClaim, waitForRelease, writeClaim } from "./engine-claim.ts";

/** Environment variable with the path of a dynoxide binary to use instead of the npm package's. */
export const DYNOXIDE_VARIABLE = "STEPYARD_DYNOXIDE";

const START_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 2000;
const PORT_ATTEMPTS = 3;

/*
 * $$ stays the shell's pid, which the engine takes over by exec. The subshell holds the host's end-of-life signal:
 * a line on the pipe means that the engine was ended in order, end of file without one that the host is gone.
 */
const SUPERVISE = `exec 3<&0
( read -r line <&3 || kill -9 $$ ) </dev/null >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-`;

/** How an engine ended. */
export type EngineExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Engine = {
  readonly url: string;
  readonly pid: number;
  /** Ends the engine and waits until it is gone. */
  close(): Promise<void>;
};

export type EngineOptions = {
  /** SQLite file that holds the tables, created when missing; in memory without it. */
  readonly dataFile?: string;
  /** Called once when the engine ends without `close`. */
  readonly onExit?: (exit: EngineExit) => void;
};

/**
 * Starts the DynamoDB engine on a free loopback port and waits until it answers. The engine ends with this process,
 * however that ends, kill -9 included. Rejects when there is no binary, when another host uses the data file, or
 * when the engine does not start.
 */
export async function startDynoxide(options: EngineOptions = {}): Promise<Engine> {
  const binary = findDynoxide();
  const dataFile = options.dataFile === undefined ? undefined : resolve(options.dataFile);
  if (dataFile !== undefined) {
    await mkdir(dirname(dataFile), { recursive: true });
    await waitForRelease(dataFile);
  }
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const outcome = await launch(binary, port, dataFile);
    if ("child" in outcome) return await supervise(outcome.child, port, dataFile, options.onExit);
    if (attempt === PORT_ATTEMPTS || !outcome.failure.includes("already in use")) {
      throw new Error(
        `The DynamoDB engine ${binary} did not start. It said: ${outcome.failure || "nothing"}`,
      );
    }
  }
}

/** The path of the dynoxide binary. Throws an Error that says what to install when there is none. */
export function findDynoxide(): string {
  const override = process.env[DYNOXIDE_VARIABLE];
  if (override !== undefined && override !== "") {
    if (isExecutable(override)) return override;
    throw new Error(
      `${DYNOXIDE_VARIABLE} is ${override}, which is no file that can be run. Correct or unset it.`,
    );
  }
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const path = join(dirname(manifest), "dynoxide");
    if (isExecutable(path)) return path;
  } catch {
    // Not installed; said below.
  }
  throw new Error(
    `There is no DynamoDB engine: the optional package ${name} is not installed. Run npm install, or install ` +
      `dynoxide otherwise (brew, cargo) and set ${DYNOXIDE_VARIABLE} to the path of its binary.`,
  );
}

type Launch = { readonly child: ChildProcess } | { readonly failure: string };

async function launch(binary: string, port: number, dataFile: string | undefined): Promise<Launch> {
  const file = dataFile === undefined ? [] : ["--db-path", dataFile];
  const command = [binary, "--host", "127.0.0.1", "--port", String(port), ...file];
  // In a session of its own: Ctrl-C in a terminal ends the host, which ends the engine when it is done with it.
  const child = spawn("sh", ["-c", SUPERVISE, "sh", ...command], {
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2000);
  });
  child.on("error", (error) => {
    said += error.message;
  });
  // The watcher may be gone when it is told to go.
  child.stdin.on("error", () => {});
  child.once("exit", () => child.stdin.end("\n"));
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    // The line proves that the port is this engine's and not that of another program.
    if (said.includes(`listening on http://127.0.0.1:${port}`) && (await answers(port))) return { child };
    if (performance.now() > deadline) {
      await stop(child);
      break;
    }
    await delay(5);
  }
  return { failure: said.trim() };
}

async function supervise(
  child: ChildProcess,
  port: number,
  dataFile: string | undefined,
  onExit: EngineOptions["onExit"],
): Promise<Engine> {
  const pid = child.pid ?? 0;
  let closing = false;
  child.once("exit", (code, signal) => {
    if (!closing) onExit?.({ code, signal });
  });
  if (dataFile !== undefined) await writeClaim(dataFile, pid);
  return {
    url: `http://127.0.0.1:${port}`,
    pid,
    async close() {
      closing = true;
      await stop(child);
      if (dataFile !== undefined) await dropClaim(dataFile);
    },
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}

async function answers(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("The system gave no loopback port.");
  return address.port;
}
