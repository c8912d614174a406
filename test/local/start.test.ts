import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { isAlive } from "../../local/dynamodb/engine-claim.ts";
import { type LaptopOptions, startLaptop } from "../support/laptop.ts";
import { patience } from "../support/patience.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepyard-start-"));
  await writeFile(join(folder, "file"), "");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** How a stack ended that could not start. */
const refusal = (options: LaptopOptions): Promise<string> =>
  startLaptop(options).then(
    async (laptop) => `started, and ended with ${await laptop.stop()}`,
    (error: Error) => error.message,
  );

describe("a stack that cannot work", patience.test, () => {
  it("does not start, and names each variable that is wrong and what it may be", async () => {
    const env = {
      STEPYARD_TOOL_RESULT_SECONDS: "soon",
      STEPYARD_SCRIPT_CPU_MS: "600001",
      STEPYARD_LOG_LEVEL: "debug",
    };
    expect(await refusal({ env })).toBe(
      "the stack ended with 1: Stepyard could not start: " +
        "STEPYARD_TOOL_RESULT_SECONDS has to be a number above 0, at most 604,800. " +
        "STEPYARD_SCRIPT_CPU_MS has to be a number above 0, at most 600,000. " +
        "STEPYARD_LOG_LEVEL has to be info or warn.\n",
    );
  });

  it("does not start with an address of models that is none", async () => {
    const model = { openaiBaseUrl: "models.example", anthropicBaseUrl: "file:///models" };
    const address = "has to be an address that begins with https:// or http://.";
    expect(await refusal({ model })).toContain(`OPENAI_BASE_URL ${address} ANTHROPIC_BASE_URL ${address}\n`);
  });

  it.each([
    ["a file", () => join(folder, "file"), "EEXIST"],
    ["below a file", () => join(folder, "file", "below"), "ENOTDIR"],
    ["where no folder can be made", () => "/proc/stepyard", "ENOENT"],
    ["below where no folder can be made", () => "/proc/stepyard/below", "ENOENT"],
    ["a folder that takes no files", () => "/proc", "ENOENT"],
    ["a name that is too long", () => join(folder, "a".repeat(300)), "ENAMETOOLONG"],
  ])("does not start where state cannot be kept, and says what to choose: %s", async (_, data, code) => {
    const message = await refusal({ data: data() });
    expect(message.split(": ").slice(0, 3)).toEqual([
      "the stack ended with 1",
      "Stepyard could not start",
      code,
    ]);
    expect(message).toMatch(/\. Choose another folder with --data, or --memory\.\n$/);
  });

  it("makes the folders on the way to where state is kept", async () => {
    const data = join(folder, "not", "there", "yet");
    expect(await refusal({ data })).toBe("started, and ended with 0");
    expect((await readdir(data)).filter((name) => name.startsWith("."))).toEqual([]);
  });
});

describe("npm start", patience.test, () => {
  it("ends the stack when npm alone is told to end, as containers and process managers do", async () => {
    const project = fileURLToPath(new URL("../..", import.meta.url));
    const args = ["start", "--silent", "--", "--memory", "--offline-model", "--port", "0", "--json"];
    const npm = spawn("npm", args, { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
    const [line] = await once(createInterface({ input: npm.stdout }), "line");
    const { pid } = z.object({ pid: z.int() }).parse(JSON.parse(String(line)));
    expect(isAlive(pid)).toBe(true);
    npm.kill("SIGTERM");
    // It waits for the process that it started, which has to be the stack itself.
    await once(npm, "exit");
    const alive = isAlive(pid);
    if (alive) process.kill(pid, "SIGKILL");
    expect(alive).toBe(false);
  });
});
