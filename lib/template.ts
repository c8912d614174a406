import * as z from "zod";

const resourceSchema = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.union([z.string().transform((id) => [id]), z.array(z.string())]).default([]),
});

const templateSchema = z.looseObject({
  Resources: z.record(z.string(), resourceSchema),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).default({}),
});

/** A CloudFormation template, as far as it is read here. */
export type Template = z.infer<typeof templateSchema>;
export type Resource = z.infer<typeof resourceSchema>;

/** Reads a template's JSON value. Throws a ZodError for anything else. */
export const parseTemplate = (json: unknown): Template => templateSchema.parse(json);

/** Resources of a type by logical id, in the template's order. */
export const resourcesOfType = (template: Template, type: string): readonly (readonly [string, Resource])[] =>
  Object.entries(template.Resources).filter(([, resource]) => resource.Type === type);

/** The one resource of a type. Throws when there is none or more. */
export const onlyResource = (template: Template, type: string): readonly [string, Resource] => {
  const [found, ...others] = resourcesOfType(template, type);
  if (found === undefined || others.length > 0)
    throw new Error(
      `The template holds ${others.length + (found ? 1 : 0)} resources of type ${type}, not one.`,
    );
  return found;
};

const intrinsicSchema = z.union([
  z
    .strictObject({ Ref: z.string() })
    .transform(({ Ref }) => (Ref === "AWS::Partition" ? "aws" : `\${${Ref}}`)),
  z
    .strictObject({ "Fn::GetAtt": z.tuple([z.string(), z.string()]) })
    .transform((it) => `\${${it["Fn::GetAtt"].join(".")}}`),
  z.strictObject({ "Fn::Sub": z.string() }).transform((it) => it["Fn::Sub"]),
]);
const joinSchema = z.strictObject({ "Fn::Join": z.tuple([z.string(), z.array(z.unknown())]) });
const recordSchema = z.record(z.string(), z.unknown());

/**
 * Replaces CloudFormation's functions by readable text: `Ref` and `GetAtt` become `${Id}` and
 * `${Id.Attribute}`, the partition becomes `aws`, joins are joined.
 */
export const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  const intrinsic = intrinsicSchema.safeParse(value);
  if (intrinsic.success) return intrinsic.data;
  const join = joinSchema.safeParse(value);
  if (join.success) return join.data["Fn::Join"][1].map(plain).join(join.data["Fn::Join"][0]);
  const record = recordSchema.safeParse(value);
  if (!record.success) return value;
  return Object.fromEntries(Object.entries(record.data).map(([key, inner]) => [key, plain(inner)]));
};
