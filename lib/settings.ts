import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Node } from "constructs";
import * as z from "zod";

/** Model keys travel to these addresses, so plain HTTP is for a model on the same machine only. */
const modelUrl = z
  .url({ protocol: /^https?$/ })
  .refine(
    (url) => /^(https:|http:\/\/(localhost|127\.0\.0\.1)([:/]|$))/.test(url),
    "must begin with https://",
  );

const settingsSchema = z.object({
  /** Name of the CloudFormation stack, and first part of the names that have to be fixed. */
  name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** What happens to the table, the bucket and the key when the stack is deleted. */
  removalPolicy: z.enum(["retain", "destroy"]),
  logRetentionDays: z.coerce.number().pipe(z.enum(RetentionDays)),
  logLevel: z.enum(["info", "warn"]),
  openaiBaseUrl: modelUrl,
  anthropicBaseUrl: modelUrl,
  toolResultSeconds: z.coerce.number().int().min(1).max(604_800),
  scriptCpuMs: z.coerce.number().int().min(100).max(600_000),
  /** Project that operators with AWS credentials act for. Absent: the handlers' own default. */
  operatorProject: z.string().min(1).optional(),
  /** Requests a second, and at once, that the stage lets through. */
  throttleRate: z.coerce.number().int().min(1).max(10_000),
  throttleBurst: z.coerce.number().int().min(1).max(5_000),
  /**
   * API Gateway logs through one role an account and region. `true` sets it; `false` is for accounts
   * where it is set already and shall stay as it is.
   */
  gatewayLogRole: z.union([z.boolean(), z.stringbool()]),
});

/** What an operator decides at deployment. The defaults stand in `cdk.json`; override with `-c key=value`. */
export type Settings = z.infer<typeof settingsSchema>;

/** Reads the settings from the CDK context. Throws an error that names every wrong key. */
export const readSettings = (node: Node): Settings => {
  const context = Object.fromEntries(
    Object.keys(settingsSchema.shape).map((key) => [key, node.tryGetContext(key)] as const),
  );
  const parsed = settingsSchema.safeParse(context);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`Correct the context in cdk.json or after -c: ${problems.join("; ")}`);
};
