/**
 * Rules across the fields of one object, such as "a failed run has an error". They are checked when a value is
 * parsed, and kept beside the schema so that the OpenAPI document states the same.
 */
import * as z from "zod";

type Variants = readonly z.ZodType[];

export type Rules = {
  /** Exactly one of these holds. */
  readonly oneOf?: Variants;
  /** At least one of these holds. */
  readonly anyOf?: Variants;
  /** Each of these holds. */
  readonly allOf?: Variants;
  /** None of these holds. */
  readonly not?: Variants;
};

const rulesBySchema = new WeakMap<z.core.$ZodType, Rules>();

/** The rules that were added to this schema. */
export function rulesOf(schema: z.core.$ZodType): Rules | undefined {
  return rulesBySchema.get(schema);
}

/** The schema with rules added; `message` is the issue when a value breaks one. */
export function withRules<T extends z.ZodType>(schema: T, added: Rules, message: string): T {
  const ruled = schema.check(z.refine((value) => obeys(value, added), message));
  return withStatedRules(ruled, added);
}

/** The schema with rules that only the API document states: an operation checks them, with a code of its own. */
export function withStatedRules<T extends z.ZodType>(schema: T, stated: Rules): T {
  rulesBySchema.set(schema, stated);
  return schema;
}

/** Fields that an object has, whatever else is in it. */
export function having(shape: z.ZodRawShape) {
  return z.looseObject(shape);
}

/** An empty array. */
export const none = z.array(z.unknown()).max(0);

function obeys(value: unknown, { oneOf, anyOf, allOf, not }: Rules): boolean {
  const holding = (variants: Variants) =>
    variants.filter((variant) => variant.safeParse(value).success).length;
  if (oneOf !== undefined && holding(oneOf) !== 1) return false;
  if (anyOf !== undefined && holding(anyOf) === 0) return false;
  if (allOf !== undefined && holding(allOf) !== allOf.length) return false;
  return not === undefined || holding(not) === 0;
}
