import type { Json, JsonObject } from "../../contract/json.ts";

/** A JSON Schema 2020-12 and a value that has to satisfy it; without a value, whether the schema can be used. */
export type SchemaCheck = { readonly schema: JsonObject; readonly value?: Json };

/** What is wrong with the check at `index`. */
export type SchemaProblem = { readonly index: number; readonly problem: string };

/**
 * Holds values against schemas. Neither is trusted: a short pattern can take hours, and a small schema all memory.
 * So the checks of one request have CPU time and memory of their own, beside everything else that the process does;
 * what they do not suffice for is a problem like any other.
 */
export type Schemas = {
  /** The first check that has a problem, null when none has one. */
  firstProblem(checks: readonly SchemaCheck[]): Promise<SchemaProblem | null>;
};
