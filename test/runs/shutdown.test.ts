import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, only, output, said, settled } from "./talk.ts";
import { playScript, startWorld, type World } from "./world.ts";

const main = fileURLToPath(new URL("../../local/main.ts", import.meta.url));

/** Runs the command to its end. */
async function runMain(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child: ChildProcess = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.on("data", (chunk: Buffer) => {
      printed[name] += chunk.toString();
    });
  }
  await once(child, "close");
  return { code: child.exitCode, ...printed };
}

let world: World;

beforeAll(async () => {
  world = await startWorld({ kept: true });
});
afterAll(() => world.close());

/** Opens an event stream; `over` resolves when the connection ends. */
async function follow(sessionId: string): Promise<{ over: Promise<string> }> {
  const { baseUrl, key } = world.api();
  const response = await fetch(`${baseUrl}/sessions/${sessionId}/events/stream?include_deltas=true`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(response.status).toBe(200);
  return { over: response.text().catch((error: unknown) => String(error)) };
}

describe("the laptop's command", () => {
  it("shows its options with --help", async () => {
    const { code, stdout } = await runMain("--help");
    expect(code).toBe(0);
    for (const option of ["--port", "--data", "--memory", "--offline-model"])
      expect(stdout).toContain(option);
  });

  it("refuses a port that is none", async () => {
    const { code, stderr } = await runMain("--port", "http");
    expect(code).toBe(1);
    expect(stderr).toContain("Give a whole number from 0 to 65535");
  });

  it("ends with 1 and says what to do when the port is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const { code, stderr, stdout } = await runMain("--port", port, "--memory", "--offline-model");
    taken.close();
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/could not start: .*EADDRINUSE.* Choose another port with --port/);
  });
});

describe("a stop", () => {
  it("with open streams, a pending call and a model that answers ends with 0 within 3 s, and nothing is lost", async () => {
    const caller = await world.actor(playScript("return await tools.look_up()"), { tools: ["look_up"] });
    const speaker = await world.actor(() => ({ text: "A long answer.", chunks: 1_000, chunkMs: 1_000 }));
    const [calling, speaking] = [await caller.talk(), await speaker.talk()];
    const streams = [await follow(calling.id), await follow(speaking.id)];
    const input = await calling.send("Look");
    const call = only(await calling.calls(1));
    const spoken = await speaking.send("Speak");
    await eventually(
      () => speaker.asked.length,
      (count) => count === 1,
    );

    const began = performance.now();
    expect(await world.down("stop")).toBe(0);
    expect(performance.now() - began).toBeLessThan(3_000);
    await Promise.all(streams.map(({ over }) => over));
    const printed = world.laptop().output();
    expect(printed).not.toMatch(/unhandled|uncaught/i);

    await world.up();
    await calling.settle(call, output("found"));
    expect(said(await calling.ended(input))).toEqual(['It gave "found"']);
    expect(await speaking.until(({ status }) => status === "paused")).toMatchObject({
      active_run_id: spoken.run_id,
      active_run_status: "interrupted",
    });
    // Agents and keys are those from before.
    const again = await caller.talk();
    await again.send("Look");
    await again.settle(only(await again.calls(1)), output("again"));
    await settled(again);
  });
});
