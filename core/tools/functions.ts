import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../contract/json.ts";
import type { AgentTool, FunctionTool } from "../../contract/schemas/tools.ts";

/** Why a schema cannot be used (post_agents: `invalid_schema`), or null. */
export function schemaProblem(schema: JsonObject): string | null {
  try {
    draft().validateSchema(schema, true);
    compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : "the schema cannot be used";
  }
}

/** Why arguments do not satisfy a function's schema, or null. At most 500 characters. */
export function argumentProblem(tool: FunctionTool, value: Json): string | null {
  const problem = validationProblem(validator(tool.parameters as JsonObject), value);
  return problem === null ? null : `${tool.name}: ${problem}`.slice(0, 500);
}

function validationProblem(validate: ValidateFunction, value: Json): string | null {
  try {
    if (validate(value)) return null;
  } catch (error) {
    // A schema may apply itself to the same value for ever: the call stack ends it.
    if (error instanceof RangeError) return "the schema refers to itself without end";
    throw error;
  }
  const first = validate.errors?.[0];
  return `${first?.instancePath || "the arguments"} ${first?.message ?? "do not fit the schema"}`;
}

/** The application function of that name that an agent declares, or null. */
export function findFunction(tools: readonly AgentTool[], name: string): FunctionTool | null {
  return tools.find((tool): tool is FunctionTool => typeof tool !== "string" && tool.name === name) ?? null;
}

const compiled = new WeakMap<JsonObject, ValidateFunction>();

function validator(schema: JsonObject): ValidateFunction {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validate = compile(schema);
  compiled.set(schema, validate);
  return validate;
}

// Own properties only: every object has a `constructor` and a `toString` that nobody sent.
const options = { strict: false, validateFormats: false, logger: false, ownProperties: true } as const;

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
