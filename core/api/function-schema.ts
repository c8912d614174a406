import type { Json, JsonObject } from "../../contract/json.ts";
import type { FunctionTool } from "../../contract/schemas/tools.ts";
import type { SchemaProblem, Schemas } from "../ports/schemas.ts";

/** Keywords of JSON Schema 2020-12 that hold schemas; whatever stands elsewhere is data. */
const single = [
  ...["items", "contains", "additionalProperties", "propertyNames", "unevaluatedItems"],
  ...["unevaluatedProperties", "not", "if", "then", "else", "contentSchema"],
];
const listed = ["prefixItems", "allOf", "anyOf", "oneOf"];
const named = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** What fragments refer into: the nearest schema with an `$id`, or the root. */
type Base = { readonly schema: JsonObject; readonly anchors: Set<Json> };
type Place = { readonly schema: JsonObject; readonly base: Base };

/** The first function whose parameters cannot be used (FunctionTool), or null. */
export async function parametersProblem(
  schemas: Schemas,
  functions: readonly FunctionTool[],
): Promise<SchemaProblem | null> {
  const checks = functions.map(({ parameters }) => ({ schema: parameters as JsonObject }));
  for (const [index, { schema }] of checks.entries()) {
    const problem = keywordProblem(schema);
    if (problem !== null) return { index, problem };
  }
  return schemas.firstProblem(checks);
}

/**
 * Why the keywords of a schema cannot be used, or null. The compiler alone would pass over what nothing refers to,
 * and would find the draft's own schemas though they are outside.
 */
function keywordProblem(root: JsonObject): string | null {
  for (const { schema, base } of subschemas(root)) {
    const problem = referenceProblem(schema, base) ?? patternProblem(schema);
    if (problem !== null) return problem;
    // The compiler has a meaning of its own for it.
    if (Object.hasOwn(schema, "$async")) return "$async is no keyword of JSON Schema 2020-12. Leave it out.";
  }
  return null;
}

function subschemas(root: JsonObject): Place[] {
  const places: Place[] = [];
  const pending: Place[] = [{ schema: root, base: baseOf(root) }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    const { schema, base } = place;
    places.push(place);
    for (const anchor of [schema["$anchor"], schema["$dynamicAnchor"]])
      if (anchor !== undefined) base.anchors.add(anchor);
    for (const child of children(schema))
      pending.push({ schema: child, base: Object.hasOwn(child, "$id") ? baseOf(child) : base });
  }
  return places;
}

const baseOf = (schema: JsonObject): Base => ({ schema, anchors: new Set() });

function children(schema: JsonObject): JsonObject[] {
  const own = (keywords: readonly string[]) =>
    keywords.flatMap((keyword) => (Object.hasOwn(schema, keyword) ? [schema[keyword] ?? null] : []));
  const values = [
    ...own(single),
    ...own(listed).flatMap((list) => (Array.isArray(list) ? list : [])),
    ...own(named).flatMap((map) => (isObject(map) ? Object.values(map) : [])),
  ];
  return values.filter(isObject);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function referenceProblem(schema: JsonObject, base: Base): string | null {
  for (const reference of [schema["$ref"], schema["$dynamicRef"]]) {
    if (typeof reference !== "string") continue;
    const shown = reference.slice(0, 100);
    if (!reference.startsWith("#"))
      return `${shown} is outside of the schema. Refer to a place in it, such as #/$defs/name.`;
    const fragment = decoded(reference.slice(1));
    const resolves =
      fragment !== null && (fragment === "" || base.anchors.has(fragment) || pointsAt(base.schema, fragment));
    if (!resolves) return `${shown} refers to nothing in the schema.`;
  }
  return null;
}

function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

/** Whether the JSON pointer finds something that can be a schema. */
function pointsAt(base: JsonObject, pointer: string): boolean {
  if (!pointer.startsWith("/")) return false;
  let here: Json | undefined = base;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, key)) return false;
    here = (here as JsonObject)[key];
  }
  return typeof here === "boolean" || (here !== undefined && isObject(here));
}

function patternProblem(schema: JsonObject): string | null {
  const { pattern, patternProperties } = schema;
  const patterns = [
    ...(typeof pattern === "string" ? [pattern] : []),
    ...(patternProperties !== undefined && isObject(patternProperties) ? Object.keys(patternProperties) : []),
  ];
  const broken = patterns.find((source) => !isPattern(source));
  return broken === undefined ? null : `${broken.slice(0, 100)} is not a regular expression in Unicode mode.`;
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}
