import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Laptop, startLaptop } from "../support/laptop.ts";

const run = promisify(execFile);

/** The first block of a language below a heading of the README. */
async function snippet(heading: string, language: string): Promise<string> {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const section = readme.split(`### ${heading}\n`)[1] ?? "";
  const block = section.split(`\`\`\`${language}\n`)[1]?.split("\n```")[0];
  if (block === undefined) throw new Error(`the README has no ${language} block below ${heading}`);
  return block;
}

const hasPython = await run("python3", ["--version"]).then(
  () => true,
  () => false,
);
if (!hasPython)
  console.warn("skipped: the README's Python block, because there is no python3 on this machine");

describe("the README's quick start", () => {
  let laptop: Laptop;
  let folder: string;
  const environment = () => ({ ...process.env, STEPYARD_URL: laptop.url, STEPYARD_KEY: "dev-key" });
  const save = async (name: string, text: string) => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "readme-"));
    laptop = await startLaptop();
  });
  afterAll(async () => {
    await laptop?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("runs in TypeScript and answers the function call", async () => {
    const file = await save("quick-start.mts", await snippet("TypeScript", "ts"));
    const { stdout } = await run(process.execPath, [file], { env: environment() });
    expect(stdout).toContain("tool.requested");
    expect(stdout).toContain("Grace Hopper");
    expect(stdout).toContain("run.completed");
  });

  it("runs with curl", async () => {
    const file = await save("quick-start.sh", await snippet("curl", "sh"));
    const { stdout } = await run("bash", ["-eu", file], { env: environment() });
    expect(JSON.parse(stdout).data[0].status).toBe("completed");
  });

  it.skipIf(!hasPython)("runs in Python", async () => {
    const file = await save("quick_start.py", await snippet("Python", "python"));
    const { stdout } = await run("python3", [file], { env: environment() });
    expect(stdout).toMatch(/^completed .+/);
  });
});
