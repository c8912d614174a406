import { openSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { end, start } from "./commands.ts";

export const account = "000000000000";
export const region = "us-east-1";

export type Emulator = {
  readonly url: string;
  /** For the CDK, the SDK and whatever else is to take the emulator for AWS. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that its Lambda workers run in, one below it each. */
  readonly workers: string;
  /** Ends it and its Lambda workers. */
  readonly stop: () => Promise<void>;
};

/** Starts the emulator on a free port of loopback; all that it writes goes below `place`. */
export async function startEmulator(python: string, place: string, signal: AbortSignal): Promise<Emulator> {
  const dirs = { bin: join(place, "bin"), tmp: join(place, "tmp"), home: join(place, "home") };
  for (const dir of Object.values(dirs)) await mkdir(dir, { recursive: true });
  await writeNode(dirs.bin);
  // The emulator's worker is CommonJS, whatever a package.json above the temporary folder says.
  await writeFile(join(dirs.tmp, "package.json"), '{"type":"commonjs"}\n');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: "true",
    HOME: dirs.home,
  };
  const log = openSync(join(place, "emulator.log"), "a");
  const child = start(
    {
      command: python,
      args: [join(import.meta.dirname, "emulator.py")],
      cwd: place,
      signal,
      // Nothing of this process's own: functions inherit it.
      env: {
        ...env,
        PATH: `${dirs.bin}:/usr/local/bin:/usr/bin:/bin`,
        TMPDIR: dirs.tmp,
        GATEWAY_PORT: String(port),
        BIND_HOST: "127.0.0.1",
        MINISTACK_HOST: "127.0.0.1",
        STATE_DIR: join(place, "state"),
        S3_DATA_DIR: join(place, "s3"),
        // Roles and policies are applied.
        AUTH: "true",
      },
    },
    ["ignore", log, log],
  );
  const stop = () => end(child);
  try {
    await ready(url, () => child.exitCode, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, env, workers: dirs.tmp, stop };
}

/** A `node` that is this process's, with what Lambda's runtime gives to functions that stream. */
async function writeNode(bin: string): Promise<void> {
  const path = join(bin, "node");
  const preload = join(import.meta.dirname, "worker.ts");
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" --import "${preload}" "$@"\n`);
  await chmod(path, 0o755);
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}

async function ready(url: string, exitCode: () => number | null, signal: AbortSignal): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/_ministack/health`, { signal }).catch(() => null);
    if (answer?.ok === true) return;
    if (exitCode() !== null) throw new Error(`the emulator exited with ${exitCode()}; see its log`);
    await sleep(100, undefined, { signal });
  }
}
