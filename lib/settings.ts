import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Node } from "constructs";
import * as z from "zod";
import { most } from "../contract/env.ts";

/** What `-c` passes is text; `cdk.json` has values. */
const fromText = (value: unknown): unknown => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const wholeNumber = (least: number, greatest: number) =>
  z.coerce
    .number()
    .int()
    .min(least)
    .max(greatest)
    .describe(`a whole number from ${least.toLocaleString("en")} to ${greatest.toLocaleString("en")}`);

/** Model keys travel to these addresses, so plain HTTP is for a model on the same machine only. */
const modelUrl = z
  .url({ protocol: /^https?$/ })
  .refine((url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1)([:/]|$))/.test(url))
  .describe("an address that begins with https:// (http:// for 127.0.0.1 and localhost only)");

const retentionDays = Object.values(RetentionDays).filter((days) => typeof days === "number");

/** As AWS takes them; its own prefix is reserved. `<name>` in a value is not a character of a tag. */
const tagKey = z.string().regex(/^(?!aws:)[\p{L}\p{N} _.:/=+@-]{1,128}$/iu);
const tagValue = z.string().regex(/^(<name>|[\p{L}\p{N} _.:/=+@-]){0,256}$/u);

const settingsSchema = z.object({
  /** Name of the CloudFormation stack, and first part of the names that have to be fixed. */
  name: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,39}$/)
    .describe("up to 40 lower-case letters, digits and hyphens, a letter first"),
  /** What happens to the table, the buckets and the key when the stack is deleted. */
  removalPolicy: z.enum(["retain", "destroy"]).describe("retain or destroy"),
  logRetentionDays: z.coerce
    .number()
    .pipe(z.enum(RetentionDays))
    .describe(`a number of days that CloudWatch knows: ${retentionDays.join(", ")}`),
  logLevel: z.enum(["info", "warn"]).describe("info or warn"),
  /** Who gets a mail when an alarm goes off. Empty: nobody, and there is no topic. */
  alarmEmail: z
    .union([z.literal(""), z.email()])
    .describe("an e-mail address, or empty for alarms without mail"),
  openaiBaseUrl: modelUrl,
  anthropicBaseUrl: modelUrl,
  toolResultSeconds: wholeNumber(1, most.toolResultSeconds),
  scriptCpuMs: wholeNumber(100, most.scriptCpuMs),
  /** Project that operators with AWS credentials act for. Absent: the handlers' own default. */
  operatorProject: z.string().min(1).optional().describe("the id of a project, or absent"),
  /** Requests a second, and at once, that the stage lets through. */
  throttleRate: wholeNumber(1, 10_000),
  throttleBurst: wholeNumber(1, 5_000),
  /**
   * API Gateway logs through one role an account and region. `true` sets it; `false` is for accounts
   * where it is set already and shall stay as it is.
   */
  gatewayLogRole: z.union([z.boolean(), z.stringbool()]).describe("true or false"),
  /** Of the stack, which CloudFormation puts on all that can carry them. `<name>` stands for the stack's name. */
  tags: z
    .preprocess(fromText, z.record(tagKey, tagValue))
    .describe('a JSON object of text, as {"project": "<name>"}, in characters that AWS takes in tags'),
});

/** What an operator decides at deployment. The defaults stand in `cdk.json`; override with `-c key=value`. */
export type Settings = z.infer<typeof settingsSchema>;

const shape: Readonly<Record<string, z.ZodType>> = settingsSchema.shape;

/** One line a setting: what it is and what it may be. */
const explain = (key: string, value: unknown): string => {
  const is = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
  return `${key}: ${is}, allowed is ${shape[key]?.description}`;
};

/** Our keys are plain words; the CDK's have colons, slashes or hyphens. */
const misspelt = (node: Node): readonly string[] =>
  Object.keys(node.getAllContext()).filter((key) => /^[a-z][A-Za-z]*$/.test(key) && !(key in shape));

/**
 * Reads the settings from the CDK context. Throws an error that names every wrong key, what it is and
 * what is allowed, and keys that look like settings and are none.
 */
export const readSettings = (node: Node): Settings => {
  const context = Object.fromEntries(
    Object.keys(shape).map((key) => [key, node.tryGetContext(key)] as const),
  );
  const parsed = settingsSchema.safeParse(context);
  const wrong = new Set(parsed.error?.issues.map(({ path }) => String(path[0])));
  const problems = [
    ...[...wrong].map((key) => explain(key, context[key])),
    ...misspelt(node).map((key) => `${key}: no such setting, there are ${Object.keys(shape).join(", ")}`),
  ];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new Error(`Correct the context in cdk.json or after -c:\n  ${problems.join("\n  ")}`);
};

/** The stack's tags, the name filled in. */
export const stackTags = ({ name, tags }: Settings): Record<string, string> =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, value.replaceAll("<name>", name)]));
