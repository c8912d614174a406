import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** `file`: title, as the document names a test. */
const named = [
  ...read("docs/failure-modes.md").matchAll(/`(test\/[\w/.-]+\.(?:test|soak)\.ts)`: ([^|·\n]+)/g),
].map(([, file = "", title = ""]) => [file, title.trim().replace(/\.$/, "")] as const);

it.each(named)("%s shows: %s", (file, title) => {
  expect(read(file)).toContain(title);
});

it("every line of the table names a test", () => {
  const lines = read("docs/failure-modes.md")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (Symptom|-)/.test(line));
  expect(lines.length).toBeGreaterThan(15);
  for (const line of lines) expect(line).toMatch(/`test\/.*\.test\.ts`: /);
});
