import { measure } from "./json-text.ts";
import { limits } from "./limits.ts";

/** What `store` and `load` of one script work on: JSON text by key, in the order of the first store. */
export type ScriptMemory = {
  /** Stores, or removes with `null`. Returns why it cannot, or null. */
  store(key: string, json: string | null): string | null;
  load(key: string): string | null;
  entries(): [string, string][];
};

export function createMemory(before: readonly (readonly [string, string])[]): ScriptMemory {
  const values = new Map(before);
  let chars = before.reduce((sum, [key, json]) => sum + key.length + json.length, 0);
  return {
    store(key, json) {
      if (key === "__proto__") return 'store(key, value): the key "__proto__" is reserved';
      const old = values.get(key);
      const without = chars - (old === undefined ? 0 : key.length + old.length);
      if (json === null) {
        values.delete(key);
        chars = without;
        return null;
      }
      const problem = problemOf(key, json, without);
      if (problem !== null) return problem;
      values.set(key, json);
      chars = without + key.length + json.length;
      return null;
    },
    load: (key) => values.get(key) ?? null,
    entries: () => [...values],
  };
}

function problemOf(key: string, json: string, others: number): string | null {
  // Empty where the text was too large to leave the box.
  if (json === "" || json.length > limits.valueChars) {
    return `store(key, value): a value has at most ${limits.valueChars} characters as JSON`;
  }
  if (others + key.length + json.length > limits.memoryChars) {
    return `store(key, value): all keys and values have at most ${limits.memoryChars} characters; store(key, undefined) removes one`;
  }
  if (measure(json).depth > limits.depth) {
    return `store(key, value): the value nests deeper than ${limits.depth} levels`;
  }
  return null;
}
