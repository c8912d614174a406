import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

export type Command = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly signal: AbortSignal;
};

/** How long a process may take to end by itself, in milliseconds. */
const GRACE_MS = 5_000;

/** Starts a process as the first of a group of its own, so that what it starts can be ended with it. */
export function start(
  { command, args, env, cwd }: Command,
  stdio: "inherit" | "pipe" | readonly ["ignore", number, number],
): ChildProcess {
  return spawn(command, args, {
    env,
    cwd,
    detached: true,
    stdio: typeof stdio === "string" ? ["ignore", stdio, stdio] : [...stdio],
  });
}

/** Ends the process and all of its group: asked first, forced after five seconds. */
export async function end(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  signalGroup(pid, "SIGTERM");
  const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : null;
  const timer = setTimeout(() => signalGroup(pid, "SIGKILL"), GRACE_MS);
  await exited;
  clearTimeout(timer);
  // Those of the group that outlive the first.
  signalGroup(pid, "SIGKILL");
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

/**
 * Runs a command to its end and gives what it printed; `show` lets it print here and gives "".
 * @throws when it exits with another code than 0, or when the signal ends it.
 */
export async function run(command: Command, show = false): Promise<string> {
  command.signal.throwIfAborted();
  const child = start(command, show ? "inherit" : "pipe");
  const stop = () => void end(child);
  command.signal.addEventListener("abort", stop, { once: true });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  const [code] = await once(child, "close").finally(() => command.signal.removeEventListener("abort", stop));
  command.signal.throwIfAborted();
  if (code === 0) return printed.stdout;
  const said = `${printed.stdout}${printed.stderr}`.trim().split("\n").slice(-20).join("\n");
  throw new Error(`${command.command} ${command.args.join(" ")} exited with ${code}: ${said}`);
}
