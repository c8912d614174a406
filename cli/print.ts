import type { ApiKey } from "../contract/schemas/api-keys.ts";

/** What to do with a new key. The secret itself is not in it. */
export function createdText({ id, name }: ApiKey, baseUrl: string): string {
  return [
    `Created ${id} (${printable(name)}). Its secret will not be shown again: keep it where your backend finds its secrets.`,
    "Next, with the secret in STEPYARD_KEY:",
    `  curl -sS ${baseUrl}/agents -H "Authorization: Bearer $STEPYARD_KEY"`,
  ].join("\n");
}

/** A table with a line a key. */
export function listText(keys: readonly ApiKey[]): string {
  const rows = keys.map(({ id, name, prefix, created_at }) => [
    id,
    printable(name),
    `${prefix}…`,
    created_at.replace(/\.\d+Z$/, "Z"),
  ]);
  const table = [["ID", "NAME", "PREFIX", "CREATED"], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => lengthOf(row[column]))));
  return table.map((row) => row.map((cell, at) => padded(cell, widths[at] ?? 0)).join("  ")).join("\n");
}

const lengthOf = (text = ""): number => [...text].length;
const padded = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - lengthOf(text)));

/** A name may hold anything but must not steer the terminal. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
