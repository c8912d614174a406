import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Json, JsonObject } from "../../contract/json.ts";
import type { AgentTool, FunctionTool } from "../../contract/schemas/tools.ts";

/** Why a schema cannot be used (post_agents: `invalid_schema`), or null. */
export function schemaProblem(schema: JsonObject): string | null {
  try {
    compile(schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : "the schema cannot be used";
  }
}

/** Why arguments do not satisfy a function's schema, or null. */
export function argumentProblem(tool: FunctionTool, value: Json): string | null {
  const validate = validator(tool.parameters as JsonObject);
  if (validate(value)) return null;
  const first = validate.errors?.[0];
  return `${tool.name}: ${first?.instancePath || "the arguments"} ${first?.message ?? "do not fit the schema"}`.slice(
    0,
    500,
  );
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

/**
 * Each schema gets an instance of its own: one `$id` in two agents must not collide, and a reference
 * finds nothing but its own schema. Unknown formats and keywords are annotations, as the draft says.
 */
function compile(schema: JsonObject): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  return ajv.compile(schema);
}
