import { readFileSync } from "node:fs";
import * as z from "zod";
import type { FunctionName } from "../../contract/env.ts";
import { functionsOf } from "../../lib/definition.ts";
import { plain, type Resource, type Template } from "../../lib/template.ts";

/**
 * A value of the template as a person would write it: a reference becomes `SessionsTable.Arn`, without the
 * hash of the logical id, a pseudo parameter becomes `<Region>`.
 */
export const readable = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(plain(value))
      .replace(/\$\{(\w+?)[0-9A-F]{8}(\.\w+)?\}/g, "$1$2")
      .replace(/\$\{AWS::(\w+)\}/g, "<$1>"),
  );

/** The Lambda function that runs `functions/<name>.ts`, with its logical id. */
export const lambdaOf = (template: Template, name: FunctionName): { id: string; resource: Resource } => {
  const id = [...functionsOf(template)].find(([, found]) => found === name)?.[0];
  const resource = id === undefined ? undefined : template.Resources[id];
  if (id === undefined || resource === undefined) throw new Error(`The template has no function ${name}.`);
  return { id, resource };
};

const statementSchema = z.object({
  Effect: z.literal("Allow"),
  Action: z.union([z.string().transform((action) => [action]), z.array(z.string())]),
  Resource: z.union([z.string().transform((resource) => [resource]), z.array(z.string())]),
  Condition: z.unknown().optional(),
});
const policySchema = z.object({
  Roles: z.array(z.string()),
  PolicyDocument: z.object({ Statement: z.array(statementSchema) }),
});

/** What the policies of a role allow: resource to actions, both as readable text, conditions behind the action. */
export const permissionsOf = (template: Template, role: string): Record<string, readonly string[]> => {
  const allowed: Record<string, string[]> = {};
  for (const resource of Object.values(template.Resources)) {
    if (resource.Type !== "AWS::IAM::Policy") continue;
    const policy = policySchema.parse(readable(resource.Properties));
    if (!policy.Roles.includes(role)) continue;
    for (const { Action, Resource: on, Condition } of policy.PolicyDocument.Statement)
      for (const target of on)
        for (const action of Action) {
          allowed[target] ??= [];
          allowed[target].push(
            Condition === undefined ? action : `${action} if ${JSON.stringify(Condition)}`,
          );
        }
  }
  return allowed;
};

/** Text of a file of the project. */
export const projectFile = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
