import { join } from "node:path";
import * as z from "zod";
import { run } from "./commands.ts";
import type { Emulator } from "./emulator.ts";

const Inventory = z.record(z.string(), z.array(z.string()));
/** Names of what stands in the account, by kind. */
export type Inventory = z.infer<typeof Inventory>;

/** What holds data: kept when the stack goes, unless the operator asks for its removal. */
const retained = ["table", "bucket", "key"];

/** API Gateway logs by one role an account and region; other APIs may have come to use it. */
const shared = /^role .*CloudWatchRole/;

/** Lists what stands in the account. */
export async function listAccount(
  python: string,
  emulator: Pick<Emulator, "env">,
  signal: AbortSignal,
): Promise<Inventory> {
  const script = join(import.meta.dirname, "inventory.py");
  const env = { ...emulator.env };
  return Inventory.parse(
    JSON.parse(await run({ command: python, args: [script], cwd: import.meta.dirname, env, signal })),
  );
}

/** What is there now and was not before. */
export const added = (before: Inventory, now: Inventory): Inventory =>
  Object.fromEntries(
    Object.entries(now)
      .map(([kind, names]) => [kind, names.filter((name) => !before[kind]?.includes(name))] as const)
      .filter(([, names]) => names.length > 0),
  );

/** Splits what a stack left behind into what is to stay and what should have gone. */
export function sortRemains(remains: Inventory): { readonly kept: string[]; readonly strays: string[] } {
  const sorted = { kept: [] as string[], strays: [] as string[] };
  for (const [kind, names] of Object.entries(remains))
    for (const name of names) {
      const stays = retained.includes(kind) || shared.test(`${kind} ${name}`);
      sorted[stays ? "kept" : "strays"].push(`${kind} ${name}`);
    }
  return sorted;
}
