import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { ApiKey, CreatedApiKey } from "../../contract/schemas/api-keys.ts";
import { backend } from "../support/api.ts";
import { type Laptop, startLaptop } from "../support/laptop.ts";
import { patience } from "../support/patience.ts";
import { closedPort, endOf, isOneLine, keys, serve, start } from "./command.ts";

let laptop: Laptop;
let local: readonly string[];
beforeAll(async () => {
  laptop = await startLaptop();
  local = ["--local", "--port", new URL(laptop.url).port];
}, patience.hook);
afterAll(() => laptop?.stop());

const create = async (name: string) => {
  const { stdout } = await keys(["create", "--name", name, "--json", ...local]);
  return CreatedApiKey.parse(JSON.parse(stdout));
};
const statusWith = async (secret: string) =>
  (await backend(laptop.url, secret).send("GET", "/agents")).status;
const listed = async () =>
  z.array(ApiKey).parse(JSON.parse((await keys(["list", "--json", ...local])).stdout));

describe("keys create --local", patience.test, () => {
  it("prints the secret alone, and beside it that it is shown once and what is next", async () => {
    const { code, stdout, stderr } = await keys(["create", "--name", "backend", ...local]);
    expect(code).toBe(0);
    const secret = stdout.trim();
    expect(stdout).toBe(`${secret}\n`);
    expect(await statusWith(secret)).toBe(200);
    expect(stderr).toContain("will not be shown again");
    expect(stderr).toContain(`curl -sS ${laptop.url}/agents -H "Authorization: Bearer $STEPYARD_KEY"`);
    expect(stderr).not.toContain(secret);
  });

  it("prints one JSON document with --json", async () => {
    const { code, stdout, stderr } = await keys(["create", "--name", "as json", "--json", ...local]);
    const key = CreatedApiKey.parse(JSON.parse(stdout));
    expect([code, key.name]).toEqual([0, "as json"]);
    expect(stderr).not.toContain(key.secret);
    expect(await statusWith(key.secret)).toBe(200);
  });

  it.each([
    ["no name", []],
    ["a blank name", ["--name", "  "]],
    ["a name of 101 characters", ["--name", "a".repeat(101)]],
    ["a port that is none", ["--name", "a", "--port", "70000"]],
    ["an option of AWS", ["--name", "a", "--local", "--region", "us-east-1"]],
    ["an argument too many", ["--name", "a", "b"]],
  ])("exits with 2 on %s and creates nothing", async (_, args) => {
    const before = await listed();
    const { code, stdout, stderr } = await keys(["create", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^error: .+\nAdd --help /);
    expect(await listed()).toEqual(before);
  });
});

describe("keys list --local", patience.test, () => {
  it("prints a line a key, newest first, with nothing that steers a terminal", async () => {
    const [older, newer] = [await create("older"), await create("a\u001b[31m\nname")];
    const { code, stdout } = await keys(["list", ...local]);
    const [head = "", first = "", second = ""] = stdout.split("\n");
    expect(code).toBe(0);
    expect(head).toMatch(/^ID +NAME +PREFIX +CREATED$/);
    expect(first.split(/ {2,}/)).toEqual([
      newer.id,
      "a\u{fffd}[31m\u{fffd}name",
      `${newer.prefix}…`,
      newer.created_at.replace(/\.\d+Z$/, "Z"),
    ]);
    expect(second.startsWith(`${older.id}  older`)).toBe(true);
    for (const { secret } of [older, newer]) expect(stdout).not.toContain(secret);
  });

  it("prints every key of every page", async () => {
    const operator = backend(laptop.url, "dev-dashboard");
    for (let made = 0; made < 110; made += 11)
      await Promise.all(
        Array.from({ length: 11 }, () => operator.send("POST", "/api-keys", { name: `of many ${made}` })),
      );
    const ids = (await listed()).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(110);
    expect(ids).toEqual([...ids].sort().reverse());
    expect((await keys(["list", ...local])).stdout.trim().split("\n")).toHaveLength(ids.length + 1);
  });

  it("says what to do when there are none", async () => {
    const empty = await startLaptop();
    const at = ["--port", new URL(empty.url).port];
    expect(await keys(["list", ...at])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "There are no keys. Create one: npx stepyard keys create --name backend\n",
    });
    expect(await keys(["list", "--json", ...at])).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
    await empty.stop();
  });
});

describe("keys delete --local", patience.test, () => {
  it("deletes the key, whose next request is refused", async () => {
    const key = await create("short-lived");
    expect(await statusWith(key.secret)).toBe(200);
    expect(await keys(["delete", key.id, ...local])).toMatchObject({ code: 0, stdout: "" });
    expect(await statusWith(key.secret)).toBe(401);
  });

  it("prints one JSON document with --json", async () => {
    const { id } = await create("short-lived");
    const { code, stdout } = await keys(["delete", id, "--json", ...local]);
    expect([code, JSON.parse(stdout)]).toEqual([0, { id, deleted: true }]);
  });

  it("says in one line that there is no such key, and how to see them", async () => {
    const ended = await keys(["delete", "key_01ARZ3NDEKTSV4RRFFQ69G5FAV", ...local]);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("npx stepyard keys list");
  });

  it.each([
    ["no id", []],
    ["what is no id", ["mkey_1"]],
    ["a path", ["key_1/../../agents"]],
  ])("exits with 2 on %s", async (_, args) => {
    const { code, stderr } = await keys(["delete", ...args, ...local]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: /);
  });
});

describe("without a stack on this machine", () => {
  it("says in one line how to start one", async () => {
    const ended = await keys(["list", "--port", String(await closedPort())]);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("ECONNREFUSED");
    expect(ended.stderr).toContain("npm start");
  });

  it.each([
    [401, "", "Is it another program's port?"],
    [404, "<html>", "serves no API keys"],
    [200, "<html>", "none of Stepyard's"],
    [500, "oops", "refused the request (status 500)"],
  ])("says in one line that the port is another program's: %s %s", async (status, body, said) => {
    const { url } = await serve((_, __, response) => response.writeHead(status).end(body));
    const ended = await keys(["list", "--port", new URL(url).port]);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain(said);
  });
});

describe("help", () => {
  it.each(["", "keys", "keys create", "keys list", "keys delete"])(
    "of stepyard %s has examples",
    async (line) => {
      const { code, stdout } = await endOf(start([...words(line), "--help"]));
      expect(code).toBe(0);
      expect(stdout).toMatch(/^Usage: stepyard/);
      expect(stdout).toMatch(/\nExamples:\n {2}npx stepyard keys/);
    },
  );

  it.each(["", "keys", "keys crate", "key"])(
    "is pointed to by a wrong command: stepyard %s",
    async (line) => {
      const { code, stdout, stderr } = await endOf(start(words(line)));
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/Usage: |--help/);
    },
  );
});

const words = (line: string): string[] => line.split(" ").filter((word) => word !== "");

/** A Node of this machine that does not run TypeScript. */
function olderNode(): string | undefined {
  const places = (process.env["PATH"] ?? "").split(delimiter).concat("/usr/bin", "/usr/local/bin");
  return places
    .map((place) => join(place, "node"))
    .filter((path) => existsSync(path))
    .find((path) => {
      const [, major = "99"] = /^v(\d+)/.exec(execFileSync(path, ["--version"], { encoding: "utf8" })) ?? [];
      return Number(major) >= 20 && Number(major) < 24;
    });
}
const older = olderNode();
if (older === undefined)
  console.warn("skipped: the command under an older Node, because this machine has none");

describe.skipIf(older === undefined)("under an older Node", patience.test, () => {
  it("runs with the project's own", async () => {
    const { code, stdout } = await keys(["list", "--json", ...local], {}, older);
    expect(code).toBe(0);
    expect(z.array(ApiKey).parse(JSON.parse(stdout))).toEqual(await listed());
  });

  it("passes exit codes on", async () => {
    expect((await keys(["create"], {}, older)).code).toBe(2);
    expect((await keys(["list", "--port", String(await closedPort())], {}, older)).code).toBe(1);
  });

  it("passes a signal on and ends as the command did", async () => {
    const { promise: asked, resolve } = Promise.withResolvers<{ left: Promise<unknown> }>();
    const { url } = await serve((request) => resolve({ left: once(request.socket, "close") }));
    const child = start(["keys", "list", "--port", new URL(url).port], {}, older);
    const ended = endOf(child);
    const { left } = await asked;
    child.kill("SIGTERM");
    expect((await ended).code).toBe(143);
    await left;
  });
});
