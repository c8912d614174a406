/** The JSON Schema compiler. It takes whatever time and memory a schema asks for: for the worker only. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../contract/json.ts";
import { limits } from "./limits.ts";

/** Why a schema cannot be used, or null. */
export function schemaProblem(schema: JsonObject): string | null {
  try {
    draft().validateSchema(schema, true);
    compile(schema);
    return null;
  } catch (error) {
    return explain(error);
  }
}

/** Why a value does not satisfy a schema, or null. `text` is the schema as it came: the same text is compiled once. */
export function valueProblem(text: string, value: Json): string | null {
  try {
    const validate = validator(text);
    if (validate(value)) return null;
    const first = validate.errors?.[0];
    return `${first?.instancePath || "the arguments"} ${first?.message ?? "do not fit the schema"}`;
  } catch (error) {
    return explain(error);
  }
}

function explain(error: unknown): string {
  // A schema may apply itself to the same value for ever, or nest deeper than the compiler goes: the call stack ends it.
  if (error instanceof RangeError) return "the schema nests too deeply, or refers to itself without end";
  return error instanceof Error ? error.message.slice(0, limits.problemChars) : "the schema cannot be used";
}

const compiled = new Map<string, ValidateFunction>();
let compiledChars = 0;

function validator(text: string): ValidateFunction {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const validate = compile(JSON.parse(text));
  if (compiledChars + text.length > limits.compiledChars) {
    compiled.clear();
    compiledChars = 0;
  }
  compiled.set(text, validate);
  compiledChars += text.length;
  return validate;
}

/**
 * With `inlineRefs`, a schema of 16 KB that refers often enough to one definition is compiled for most of a minute;
 * with `optimize`, a large one takes three times as long.
 */
const options = {
  strict: false,
  validateFormats: false,
  logger: false,
  // Every object has a `constructor` and a `toString` that nobody sent.
  ownProperties: true,
  inlineRefs: false,
  code: { optimize: false },
} as const;

let drafted: Ajv2020 | null = null;

/** Knows the draft's own schema, which takes tens of milliseconds to compile: once. */
function draft(): Ajv2020 {
  drafted ??= new Ajv2020(options);
  return drafted;
}

/**
 * Each schema gets an instance of its own: one `$id` in two agents must not collide, and a reference
 * finds nothing but its own schema. Unknown formats and keywords are annotations, as the draft says.
 */
function compile(schema: JsonObject): ValidateFunction {
  return new Ajv2020({ ...options, meta: false, validateSchema: false }).compile(schema);
}
