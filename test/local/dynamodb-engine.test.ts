import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startDynamo } from "../../local/dynamodb/dynamo.ts";
import {
  DYNOXIDE_VARIABLE,
  type EngineExit,
  findDynoxide,
  startDynoxide,
} from "../../local/dynamodb/dynoxide.ts";
import {
  clientFor,
  createTable,
  onCleanup,
  startFixture,
  TABLE,
  temporaryDataFile,
} from "./dynamodb-harness.ts";

// Processes start and, in one test, a claim is waited for.
vi.setConfig({ testTimeout: 20_000 });

const TableName = TABLE;
const ENGINE = new URL("../../local/dynamodb/dynoxide.ts", import.meta.url).href;

afterEach(() => {
  delete process.env[DYNOXIDE_VARIABLE];
});

/** True while something listens there. */
async function listens(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

type Host = { readonly child: ChildProcess; readonly url: string; readonly pid: number };

/** An engine whose host is a process of its own. */
async function startHost(dataFile: string): Promise<Host> {
  const script = `import { startDynoxide } from ${JSON.stringify(ENGINE)};
    const { url, pid } = await startDynoxide({ dataFile: ${JSON.stringify(dataFile)} });
    console.log(JSON.stringify({ url, pid }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onCleanup(() => kill(child));
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) };
  throw new Error("The host ended before its engine was there");
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

async function expectItem(url: string, sk: string): Promise<void> {
  const get = new GetCommand({ TableName, Key: { pk: "p", sk }, ConsistentRead: true });
  expect((await clientFor(url).send(get)).Item).toEqual({ pk: "p", sk });
}

describe("rows", () => {
  test("are there after a close and a start on the same file", async () => {
    const dataFile = await temporaryDataFile();
    const first = await startFixture({ dataFile });
    await first.client.send(new PutCommand({ TableName, Item: { pk: "p", sk: "1" } }));
    await first.dynamo.close();
    const second = await startDynamo({ dataFile, onWrite: () => {} });
    onCleanup(() => second.close());
    await expectItem(second.url, "1");
  });

  test("are there after the engine was killed with -9", async () => {
    const dataFile = await temporaryDataFile();
    const { promise: exited, resolve } = Promise.withResolvers<EngineExit>();
    const first = await startFixture({ dataFile, onExit: resolve });
    await first.client.send(new PutCommand({ TableName, Item: { pk: "p", sk: "1" } }));
    process.kill(first.dynamo.engine.pid, "SIGKILL");
    expect(await exited).toEqual({ code: null, signal: "SIGKILL" });
    await first.dynamo.close();
    const second = await startDynamo({ dataFile, onWrite: () => {} });
    onCleanup(() => second.close());
    await expectItem(second.url, "1");
  });
});

describe("an engine", () => {
  test("is gone within two seconds of a kill -9 of its host, and the next start has its rows", async () => {
    const dataFile = await temporaryDataFile();
    const host = await startHost(dataFile);
    const client = clientFor(host.url);
    await createTable(client);
    await client.send(new PutCommand({ TableName, Item: { pk: "p", sk: "1" } }));
    await kill(host.child);
    await expect.poll(() => listens(host.url), { timeout: 2000 }).toBe(false);
    const next = await startDynamo({ dataFile, onWrite: () => {} });
    onCleanup(() => next.close());
    await expectItem(next.url, "1");
  });

  test("of a killed host never serves beside the one of a start at the same moment", async () => {
    const dataFile = await temporaryDataFile();
    const host = await startHost(dataFile);
    await createTable(clientFor(host.url));
    await kill(host.child);
    const next = await startDynamo({ dataFile, onWrite: () => {} });
    onCleanup(() => next.close());
    expect(await listens(host.url)).toBe(false);
    await clientFor(next.url).send(new PutCommand({ TableName, Item: { pk: "p", sk: "1" } }));
  });

  test("that outlived host and watcher is ended by the next start on its file", async () => {
    const dataFile = await temporaryDataFile();
    await (await startDynoxide({ dataFile })).close();
    const gone = spawn("true");
    await once(gone, "exit");
    const orphan = spawn(findDynoxide(), ["--port", "0", "--db-path", dataFile], { stdio: "ignore" });
    onCleanup(() => kill(orphan));
    await once(orphan, "spawn");
    await writeFile(`${dataFile}.pid`, JSON.stringify({ engine: orphan.pid, host: gone.pid }));
    const exit = once(orphan, "exit");
    const next = await startDynoxide({ dataFile });
    onCleanup(() => next.close());
    expect(await exit).toEqual([null, "SIGKILL"]);
  });

  test("is not taken for the stranger that has its old pid", async () => {
    const dataFile = await temporaryDataFile();
    await (await startDynoxide({ dataFile })).close();
    await writeFile(`${dataFile}.pid`, JSON.stringify({ engine: process.pid, host: process.pid }));
    const next = await startDynoxide({ dataFile });
    onCleanup(() => next.close());
    expect(JSON.parse(await readFile(`${dataFile}.pid`, "utf8"))).toEqual({
      engine: next.pid,
      host: process.pid,
    });
  });

  test("is refused a data file that a living host uses", async () => {
    const dataFile = await temporaryDataFile();
    const host = await startHost(dataFile);
    await expect(startDynoxide({ dataFile })).rejects.toThrow(
      `The data file ${dataFile} is in use by process ${host.pid}, started by process ${host.child.pid}.`,
    );
  });

  test("ends with close, without a call of onExit, and can be closed again", async () => {
    const exits: EngineExit[] = [];
    const engine = await startDynoxide({ onExit: (exit) => exits.push(exit) });
    expect(await listens(engine.url)).toBe(true);
    await engine.close();
    await engine.close();
    expect(await listens(engine.url)).toBe(false);
    expect(exits).toEqual([]);
  });

  test("runs beside others, each with its own tables", async () => {
    const engines = await Promise.all([1, 2, 3].map(() => startDynoxide()));
    onCleanup(() => Promise.all(engines.map((engine) => engine.close())));
    for (const { url } of engines) await createTable(clientFor(url));
  });
});

describe("a start without a working engine says what to do", () => {
  test("when the variable names no file that can be run", async () => {
    process.env[DYNOXIDE_VARIABLE] = "/nowhere/dynoxide";
    await expect(startDynoxide()).rejects.toThrow(
      "STEPYARD_DYNOXIDE is /nowhere/dynoxide, which is no file that can be run. Correct or unset it.",
    );
  });

  test("when what the variable names ends at once", async () => {
    const dataFile = await temporaryDataFile();
    const script = join(dirname(dirname(dataFile)), "engine.sh");
    await writeFile(script, "#!/bin/sh\necho cannot open >&2\nexit 3\n", { mode: 0o755 });
    process.env[DYNOXIDE_VARIABLE] = script;
    await expect(startDynoxide({ dataFile })).rejects.toThrow("did not start. It said: cannot open");
  });

  test("when there is no package for the system", () => {
    const platform = Object.getOwnPropertyDescriptor(process, "platform");
    Object.defineProperty(process, "platform", { value: "plan9" });
    try {
      expect(() => findDynoxide()).toThrow(
        /@dynoxide\/plan9-\w+ is not installed\. Run npm install.*STEPYARD_DYNOXIDE/,
      );
    } finally {
      if (platform !== undefined) Object.defineProperty(process, "platform", platform);
    }
  });
});
