import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import * as z from "zod";

const WAIT_MS = 3000;
const POLL_MS = 20;

const claimSchema = z.object({ engine: z.number().int().positive(), host: z.number().int().positive() });

/** Says beside the data file which engine process serves it, for which host process. */
export async function writeClaim(dataFile: string, enginePid: number): Promise<void> {
  await writeFile(claimPath(dataFile), JSON.stringify({ engine: enginePid, host: process.pid }));
}

/** Takes the claim away. */
export async function dropClaim(dataFile: string): Promise<void> {
  await rm(claimPath(dataFile), { force: true });
}

/**
 * Waits until no engine of an earlier host serves the data file: a killed host's engine ends by itself within
 * milliseconds, and one that lost its watcher too is ended here. Throws when a living host uses the file.
 */
export async function waitForRelease(dataFile: string): Promise<void> {
  const claim = await readClaim(dataFile);
  if (claim === undefined) return;
  const deadline = performance.now() + WAIT_MS;
  while (await serves(claim.engine, dataFile)) {
    if (performance.now() > deadline) {
      throw new Error(
        `The data file ${dataFile} is in use by process ${claim.engine}, started by process ${claim.host}. ` +
          "Stop it, or choose another file.",
      );
    }
    if (!isAlive(claim.host)) endProcess(claim.engine);
    await delay(POLL_MS);
  }
}

async function readClaim(dataFile: string): Promise<z.infer<typeof claimSchema> | undefined> {
  try {
    return claimSchema.parse(JSON.parse(await readFile(claimPath(dataFile), "utf8")));
  } catch {
    return undefined;
  }
}

/** True when that process is an engine on that file: the pid alone may have gone to another program. */
async function serves(pid: number, dataFile: string): Promise<boolean> {
  return isAlive(pid) && (await commandLine(pid)).includes(dataFile);
}

async function commandLine(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    const ps = promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return await ps.then(
      ({ stdout }) => stdout,
      () => "",
    );
  }
}

/** Whether there is such a process that this one may signal. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone by itself, or another user's: the caller looks again.
  }
}

function claimPath(dataFile: string): string {
  return `${dataFile}.pid`;
}
