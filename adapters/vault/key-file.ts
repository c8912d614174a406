import { randomBytes } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import type { Vault } from "../../core/ports/vault.ts";
import { openWith, parseSealed, sealWith } from "./box.ts";

const KEY_BYTES = 32;

/** The laptop's vault: one key in a file that only its owner may read. */
export function createKeyFileVault(file: string): Vault {
  let key: Promise<Buffer> | null = null;
  const load = () => {
    key ??= readKey(file);
    return key;
  };
  return {
    seal: async (secret, context) => JSON.stringify(sealWith(await load(), secret, context)),
    open: async (sealed, context) => openWith(await load(), parseSealed(sealed), context),
  };
}

/** Creates the key file where there is none. */
export async function ensureKeyFile(file: string): Promise<void> {
  await writeFile(file, randomBytes(KEY_BYTES), { mode: 0o600, flag: "wx" }).catch((error: unknown) => {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  });
}

async function readKey(file: string): Promise<Buffer> {
  const { mode } = await stat(file);
  if ((mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others. Run: chmod 600 ${file}`);
  }
  const bytes = await readFile(file);
  if (bytes.length !== KEY_BYTES)
    throw new Error(`${file} is not a key of ${KEY_BYTES} bytes. Restore it from a backup.`);
  return bytes;
}
