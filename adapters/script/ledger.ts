import { measure } from "./json-text.ts";
import { limits } from "./limits.ts";
import type { CallText } from "./protocol.ts";

/** The calls of one script: which were made, which wait, and what is new since they were last asked for. */
export type Ledger = {
  /** The ordinal of the new call, or why it cannot be made. */
  add(tool: string, json: string): number | string;
  /** False when no call with this ordinal waits. */
  settle(ordinal: number): boolean;
  waiting(): number;
  /** The calls since it was last asked. */
  news(): CallText[];
};

export function createLedger(): Ledger {
  const waiting = new Set<number>();
  let fresh: CallText[] = [];
  let next = 0;
  let chars = 0;
  let values = 0;
  return {
    add(tool, json) {
      const problem = problemOf(tool, json, chars, waiting.size);
      if (problem !== null) return problem;
      const size = measure(json);
      if (size.depth > limits.depth)
        return `the arguments of tools.${tool} nest deeper than ${limits.depth} levels`;
      if (values + size.values > limits.argumentValues) {
        return `the arguments of a script's calls have at most ${limits.argumentValues} values in all`;
      }
      values += size.values;
      chars += json.length;
      const ordinal = next;
      next += 1;
      waiting.add(ordinal);
      fresh.push({ ordinal, tool, arguments: json });
      return ordinal;
    },
    settle: (ordinal) => waiting.delete(ordinal),
    waiting: () => waiting.size,
    news() {
      const news = fresh;
      fresh = [];
      return news;
    },
  };
}

function problemOf(tool: string, json: string, chars: number, waiting: number): string | null {
  if (tool.length > limits.toolNameChars) {
    return `a tool name has at most ${limits.toolNameChars} characters`;
  }
  // Empty where the text was too large to leave the box.
  if (json === "" || chars + json.length > limits.argumentChars) {
    return `the arguments of a script's calls have at most ${limits.argumentChars} characters in all`;
  }
  if (waiting >= limits.waitingCalls) {
    return `at most ${limits.waitingCalls} calls wait at one time: await some before you make more`;
  }
  return null;
}
