import { chmod, mkdtemp, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createKeyFileVault, ensureKeyFile } from "../../adapters/vault/key-file.ts";

const secret = "sk-test-0123456789 語😀";
const context = { project: "prj_1", key: "mkey_1" };
let folder = "";
let file = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stepyard-vault-"));
  file = join(folder, "secrets.key");
  await ensureKeyFile(file);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a sealed secret", () => {
  test("opens with its context, in any order of its names", async () => {
    const vault = createKeyFileVault(file);
    const sealed = await vault.seal(secret, context);
    expect(await vault.open(sealed, context)).toBe(secret);
    expect(await createKeyFileVault(file).open(sealed, { key: "mkey_1", project: "prj_1" })).toBe(secret);
  });

  test("shows nothing of the secret, and never the same twice", async () => {
    const vault = createKeyFileVault(file);
    const [one, other] = await Promise.all([vault.seal(secret, context), vault.seal(secret, context)]);
    expect(one).not.toBe(other);
    expect(one).not.toContain("0123456789");
    expect(one).not.toContain(Buffer.from(secret).toString("base64url").slice(0, 12));
  });

  test.each([
    ["another key's context", { project: "prj_1", key: "mkey_2" }],
    ["another project's context", { project: "prj_2", key: "mkey_1" }],
    ["less context", { project: "prj_1" }],
    ["more context", { ...context, extra: "1" }],
  ])("does not open with %s", async (_, other) => {
    const vault = createKeyFileVault(file);
    const sealed = await vault.seal(secret, context);
    await expect(vault.open(sealed, other)).rejects.toThrow("unable to authenticate data");
  });

  test("does not open with another key", async () => {
    const sealed = await createKeyFileVault(file).seal(secret, context);
    const other = join(folder, "other.key");
    await ensureKeyFile(other);
    await expect(createKeyFileVault(other).open(sealed, context)).rejects.toThrow(
      "unable to authenticate data",
    );
  });

  test("does not open when a byte of it has changed", async () => {
    const vault = createKeyFileVault(file);
    const sealed: unknown = JSON.parse(await vault.seal(secret, context));
    const broken = JSON.stringify({
      ...Object(sealed),
      text: Buffer.from("something else").toString("base64url"),
    });
    await expect(vault.open(broken, context)).rejects.toThrow("unable to authenticate data");
    await expect(vault.open("{}", context)).rejects.toThrow(expect.objectContaining({ name: "ZodError" }));
  });
});

describe("the key file", () => {
  test("is made for its owner alone, and kept where it is there", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const sealed = await createKeyFileVault(file).seal(secret, context);
    await ensureKeyFile(file);
    expect(await createKeyFileVault(file).open(sealed, context)).toBe(secret);
  });

  test.each([0o644, 0o640, 0o604])("is refused with mode %o", async (mode) => {
    await chmod(file, mode);
    await expect(createKeyFileVault(file).seal(secret, context)).rejects.toThrow(`Run: chmod 600 ${file}`);
  });

  test("is refused when it is cut short", async () => {
    await truncate(file, 16);
    await expect(createKeyFileVault(file).seal(secret, context)).rejects.toThrow("is not a key of 32 bytes");
  });

  test("that is missing is an error", async () => {
    const missing = createKeyFileVault(join(folder, "missing.key")).seal(secret, context);
    await expect(missing).rejects.toMatchObject({ code: "ENOENT" });
  });
});
