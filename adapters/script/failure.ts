import { limits } from "./limits.ts";
import type { FailureCode } from "./protocol.ts";

/** What the box says about a thrown value. `error` is false when it is no Error; `message` then shows it. */
export type Thrown = {
  readonly error: boolean;
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly stack: string;
};

/** Reads what the box's `describe` gave. */
export function readThrown(json: string): Thrown {
  const value: unknown = json === "" ? null : JSON.parse(json);
  const fields = typeof value === "object" && value !== null ? new Map(Object.entries(value)) : new Map();
  const text = (name: string): string => String(fields.get(name) ?? "");
  return {
    error: fields.get("error") === true,
    name: text("name"),
    code: text("code"),
    message: text("message"),
    stack: text("stack"),
  };
}

/** How a script ended that did not finish. `broken` is true when its interpreter must not be used again. */
export type Failure = { readonly code: FailureCode; readonly message: string; readonly broken: boolean };

/** The name under which the interpreter knows the script: what its stacks say before line numbers. */
export const SCRIPT_FILE = "script.js";

const failure = (code: FailureCode, message: string, broken: boolean): Failure => ({
  code,
  message: message.slice(0, limits.messageChars),
  broken,
});

/** The last sentence about a script that was ended from outside. */
const UNSENT = " Calls that it had made and not waited for were not sent.";

export const cpuLimit = (cpuMs: number): Failure =>
  failure(
    "script_cpu_limit",
    `The script used up its ${cpuMs} ms of CPU time. Do less work in one script.${UNSENT}`,
    true,
  );

export const memoryLimit = (): Failure =>
  failure(
    "script_memory_limit",
    `The script used up its 32 MiB of memory. Keep less data at one time.${UNSENT}`,
    true,
  );

export const stalled = (): Failure =>
  failure(
    "script_stalled",
    "The script waits for a promise that nothing can settle: no tool call is open. Await what tools.<name>(args) returns.",
    false,
  );

/** The interpreter, not the script, gave up: its stack overflowed, or it is damaged. */
export const trapped = (cause: unknown): Failure =>
  failure(
    "script_error",
    cause instanceof RangeError
      ? `RangeError: The script nests calls or data too deeply.${UNSENT}`
      : `InternalError: The script broke its interpreter. Write it in a simpler way.${UNSENT}`,
    true,
  );

/** A script that threw, or did not compile. */
export function thrownFailure(thrown: Thrown, compiling: boolean): Failure {
  if (thrown.name === "InternalError" && thrown.message === "out of memory") return memoryLimit();
  const line = new RegExp(`${SCRIPT_FILE.replace(".", "\\.")}:(\\d+)`).exec(thrown.stack)?.[1];
  const where = line === undefined ? "" : ` (line ${line})`;
  const code = compiling && thrown.name === "SyntaxError" ? "script_syntax_error" : "script_error";
  return failure(code, cutBefore(describe(thrown), where), false);
}

function describe({ error, name, code, message }: Thrown): string {
  if (!error) return `Thrown: ${message}`;
  const head = [name || "Error", message].filter((part) => part !== "").join(": ");
  return code === "" ? head : `${head} [${code}]`;
}

const cutBefore = (text: string, tail: string): string =>
  text.slice(0, limits.messageChars - tail.length) + tail;
