import { CommanderError } from "commander";
import { described, Failure } from "./failure.ts";
import { createProgram } from "./program.ts";

/** Exit codes: 0 done, 1 it failed, 2 the command line was wrong. */
const FAILED = 1;
const USAGE = 2;

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = exitCodeOf(error);
}

function exitCodeOf(error: unknown): number {
  // Commander has printed it. Help that was asked for is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  const { name, message } = described(error);
  console.error(`stepyard: ${error instanceof Failure ? message : `${name}: ${message}`}`);
  return FAILED;
}
