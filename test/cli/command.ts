import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { compileCache } from "../support/compile-cache.ts";

const shim = fileURLToPath(new URL("../../cli/stepyard.js", import.meta.url));

/** A home without AWS configuration; gone after the file's tests. */
export const home = mkdtempSync(join(tmpdir(), "stepyard-keys-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

export type Variables = Readonly<Record<string, string>>;
export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Nothing of the machine's own configuration, and no look at the instance's metadata. */
const clean = {
  ...compileCache,
  HOME: home,
  PATH: process.env["PATH"] ?? "",
  AWS_EC2_METADATA_DISABLED: "true",
};

/** Starts the command's real file, with this Node unless another is named. */
export function start(
  args: readonly string[],
  variables: Variables = {},
  node = process.execPath,
): ChildProcess {
  return spawn(node, [shim, ...args], { env: { ...clean, ...variables }, stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs `stepyard keys` with these arguments to its end. */
export const keys = (args: readonly string[], variables: Variables = {}, node?: string): Promise<Ended> =>
  endOf(start(["keys", ...args], variables, node));

/** What the process printed and how it ended. */
export async function endOf(child: ChildProcess): Promise<Ended> {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject);
  child.once("close", resolve);
  return { code: await promise, ...printed };
}

/** An error is one line of ours: no stack trace, nothing on standard output. */
export const isOneLine = ({ stdout, stderr }: Ended): boolean =>
  stdout === "" && /^stepyard: [^\n]+\n$/.test(stderr) && !/\n\s+at /.test(stderr);

export type Served = { readonly url: string; readonly server: Server };

/** A server on loopback; closed after the file's tests. */
export async function serve(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<Served> {
  const server = createServer(async (request, response) => {
    const body = await request.setEncoding("utf8").reduce((all, part: string) => all + part, "");
    answer(request, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, server };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}

/** A port of loopback where nothing listens any more. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}
