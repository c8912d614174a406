import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const version = "1.58.0";
const cacheDir = fileURLToPath(new URL("../../node_modules/.cache/stepyard", import.meta.url));
const installed = join(cacheDir, `cfn-lint-${version}`);

const installMs = 240_000;
const lintMs = 120_000;

/** Its last line on standard error, or what kept it from starting; undefined where it went well. */
const failure = (command: string, args: readonly string[]): string | undefined => {
  const { error, status, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: installMs });
  if (status === 0) return undefined;
  return `${command}: ${error?.message ?? stderr.trim().split("\n").at(-1)}`;
};

/**
 * Puts cfn-lint into a virtual environment of its own, once: about 20 s and 100 MB. Beside its
 * place first, so that an installation that was cut off or runs twice is never taken for a whole one.
 */
const install = (): string | undefined => {
  const partial = `${installed}.${randomUUID()}`;
  try {
    const problem =
      failure("python3", ["-m", "venv", partial]) ??
      failure(join(partial, "bin/python"), [
        ...["-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"],
        ...["--retries", "1", "--timeout", "5", `cfn-lint==${version}`],
      ]);
    if (problem === undefined && !existsSync(installed)) renameSync(partial, installed);
    return problem;
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
};

/** Why cfn-lint cannot run here, or undefined: then it is installed. */
export const missingCfnLint = (): string | undefined => {
  if (existsSync(installed)) return undefined;
  const problem = install();
  return problem && `cfn-lint ${version} could not be installed from PyPI (${problem})`;
};

/** The command itself names the folder that it was installed into, which is not where it is now. */
const run = "import sys; from cfnlint.runner import main; sys.exit(main())";

/** cfn-lint's findings on templates, one a line, the file's name first. Takes some seconds, most of them to start. */
export const cfnLint = (templates: readonly string[]): string => {
  const { error, stdout, stderr } = spawnSync(
    join(installed, "bin/python"),
    ["-c", run, "--format", "parseable", "--regions", "us-east-1", "--", ...templates],
    { encoding: "utf8", timeout: lintMs },
  );
  if (error !== undefined || stderr !== "")
    throw new Error(`cfn-lint did not run: ${error?.message ?? stderr}`);
  return stdout;
};
