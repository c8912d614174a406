/** Zod schemas as JSON Schema 2020-12 with references to the document's components. */
import * as z from "zod";
import { components } from "../schemas/index.ts";
import { rulesOf } from "../schemas/rules.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

type Override = { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: JsonSchema };

const names = new Map<z.core.$ZodType, string>(
  Object.entries<z.ZodType>(components).map(([name, schema]) => [schema, name]),
);

/** The reference to a component. */
export function refTo(name: keyof typeof components): JsonSchema {
  return { $ref: componentUri(name) };
}

/** Every component by name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries<z.ZodType>(components)) registry.add(schema, { id: name });
  const { schemas } = z.toJSONSchema(registry, {
    ...settings,
    io: "input",
    uri: componentUri,
    override: refine,
  });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, withoutIds(schema)]));
}

/** A schema that is no component, or the reference to one that is. */
export function schemaOf(schema: z.ZodType, io: "input" | "output" = "input"): JsonSchema {
  const override = (part: Override): void => {
    refine(part);
    const name = names.get(part.zodSchema);
    if (name !== undefined) replaceWith(part.jsonSchema, { $ref: componentUri(name) });
  };
  return withoutIds(z.toJSONSchema(schema, { ...settings, io, override }));
}

const settings = { target: "draft-2020-12", unrepresentable: "any" } as const;

function componentUri(name: string): string {
  return `#/components/schemas/${name}`;
}

function withoutIds(schema: JsonSchema): JsonSchema {
  const { $schema: _, $id: __, ...rest } = schema;
  return rest;
}

function replaceWith(target: JsonSchema, source: JsonSchema): void {
  for (const key of Object.keys(target)) delete target[key];
  Object.assign(target, source);
}

/** Adds what zod cannot know, and drops what says nothing. */
function refine({ zodSchema, jsonSchema }: Override): void {
  addRules(zodSchema, jsonSchema);
  addDiscriminator(zodSchema, jsonSchema);
  if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (jsonSchema.minItems === 0) delete jsonSchema.minItems;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function addRules(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema): void {
  const { oneOf, anyOf, allOf, not } = rulesOf(zodSchema) ?? {};
  if (oneOf !== undefined) jsonSchema.oneOf = oneOf.map((variant) => schemaOf(variant));
  if (anyOf !== undefined) jsonSchema.anyOf = anyOf.map((variant) => schemaOf(variant));
  if (allOf !== undefined) jsonSchema.allOf = allOf.map((variant) => schemaOf(variant));
  if (not !== undefined) jsonSchema.not = { anyOf: not.map((variant) => schemaOf(variant)) };
}

/** Tells generators which property picks the variant, when the variants are components and it is a string. */
function addDiscriminator(zodSchema: z.core.$ZodType, jsonSchema: JsonSchema): void {
  if (!(zodSchema instanceof z.ZodDiscriminatedUnion)) return;
  const propertyName = zodSchema.def.discriminator;
  const mapping: Record<string, string> = {};
  for (const option of zodSchema.options) {
    const name = names.get(option);
    const key = option instanceof z.ZodObject ? option.shape[propertyName] : undefined;
    if (name === undefined || !(key instanceof z.ZodLiteral) || typeof key.value !== "string") return;
    mapping[key.value] = componentUri(name);
  }
  jsonSchema["discriminator"] = { propertyName, mapping };
}
