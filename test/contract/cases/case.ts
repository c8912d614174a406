import type { components } from "../../../contract/schemas/index.ts";

/** Values that a schema takes and values that it refuses, by what they are. */
export type Cases = {
  readonly schema: keyof typeof components;
  readonly accepts: Readonly<Record<string, unknown>>;
  readonly refuses: Readonly<Record<string, unknown>>;
};

/** The value without one of its keys. */
export function without(value: object, key: string): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
