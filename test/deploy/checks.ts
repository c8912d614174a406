import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { Check } from "./breakages.ts";
import { run } from "./commands.ts";

const project = join(import.meta.dirname, "../..");

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

export type Outcome = Check & {
  readonly passed: boolean;
  /** First line of why it did not pass, its preparation included. */
  readonly why: string;
};

export type CheckOptions = {
  /** Where the report goes. */
  readonly place: string;
  /** The configuration's file, unless the project's own. */
  readonly config?: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
};

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");

/** Runs these tests and no other. Throws when one of them is not there. */
export async function runChecks(checks: readonly Check[], options: CheckOptions): Promise<Outcome[]> {
  const { place, config, env, signal } = options;
  const outputFile = join(place, "report.json");
  rmSync(outputFile, { force: true });
  const files = [...new Set(checks.map(({ file }) => file))];
  const pattern = `^(${checks.map(({ name }) => escaped(name)).join("|")})$`;
  const args = [
    join(project, "node_modules/vitest/vitest.mjs"),
    "run",
    ...(config === undefined ? [] : ["--config", config]),
    ...["--reporter=json", `--outputFile=${outputFile}`, "--testNamePattern", pattern],
    ...files,
  ];
  try {
    await run({ command: process.execPath, args, cwd: project, env, signal });
  } catch (error) {
    // With a report, what failed is the tests.
    if (signal.aborted || !existsSync(outputFile)) throw error;
  }
  const { testResults } = Report.parse(JSON.parse(readFileSync(outputFile, "utf8")));
  return checks.map((check) => outcomeOf(check, testResults));
}

function outcomeOf(check: Check, results: z.infer<typeof Report>["testResults"]): Outcome {
  const file = results.find(({ name }) => name.endsWith(check.file));
  const found = file?.assertionResults.find(
    ({ ancestorTitles, title }) => [...ancestorTitles, title].join(" > ") === check.name,
  );
  if (file === undefined || (found === undefined && file.message === ""))
    throw new Error(`${check.file} has no test "${check.name}": correct test/deploy/breakages.ts`);
  const failures = found?.failureMessages ?? [];
  const [why = ""] = (failures[0] ?? file.message).split("\n");
  return { ...check, passed: found?.status === "passed", why };
}
