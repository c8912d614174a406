import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backend } from "../support/api.ts";
import { type Laptop, startLaptop } from "../support/laptop.ts";
import { patience } from "../support/patience.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));

/** The lines of a page that give the command. */
async function commands(page: string): Promise<string[]> {
  const lines = (await readFile(new URL(`../../${page}`, import.meta.url), "utf8")).split("\n");
  return lines.filter((line) => /npx stepyard keys (create|list|delete)/.test(line));
}

let laptop: Laptop;
beforeAll(async () => {
  laptop = await startLaptop();
}, patience.hook);
afterAll(() => laptop?.stop());

/** Runs a line of the documentation as a shell does, but for the stack of this machine; what it prints. */
async function local(line: string, id = ""): Promise<string> {
  const here = ` --local --port ${new URL(laptop.url).port}`;
  const script = line.replace("key_...", id).replace(/ --stack "\$STACK"|$/, here);
  return (await run("bash", ["-euc", script], { cwd: root })).stdout.trim();
}

describe("the commands that manage keys", patience.test, () => {
  it.each(["README.md", "docs/runbook.md"])(
    "of %s create a key that works, list it and delete it",
    async (page) => {
      const [create = "", list = "", remove = "", ...more] = await commands(page);
      expect(more).toEqual([]);
      const secret = await local(create);
      const statusOf = async () => (await backend(laptop.url, secret).send("GET", "/agents")).status;
      expect(await statusOf()).toBe(200);
      const [, row = ""] = (await local(list)).split("\n");
      expect(row).toContain("  backend");
      await local(remove, row.split(" ")[0] ?? "");
      expect(await statusOf()).toBe(401);
    },
  );

  it("of docs/deploy.md catches the secret in a variable", async () => {
    const [create = "", ...more] = await commands("docs/deploy.md");
    expect(more).toEqual([]);
    const secret = await local(`${create}; echo "$STEPYARD_KEY"`);
    expect((await backend(laptop.url, secret).send("GET", "/agents")).status).toBe(200);
  });
});
