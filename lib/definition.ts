/** What the laptop takes from the synthesized template, so that it cannot differ from what is deployed. */
import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import * as z from "zod";
import { type FunctionName, functionNames } from "../contract/env.ts";
import type { JsonObject } from "../contract/json.ts";
import { onlyResource, plain, resourcesOfType, type Template } from "./template.ts";

/** Metadata key in the template that tells which file of `functions/` a Lambda function runs. */
export const functionMetadata = "stepyard:function";

const nameSchema = z.enum(functionNames);
const definitionSchema = z
  .string()
  .transform((text) => z.record(z.string(), z.json()).parse(JSON.parse(text)));

/** The Lambda functions of the template: logical id to name of the handler's file. */
export const functionsOf = (template: Template): ReadonlyMap<string, FunctionName> =>
  new Map(
    resourcesOfType(template, "AWS::Lambda::Function").flatMap(([id, { Metadata }]) => {
      const name = nameSchema.safeParse(Metadata[functionMetadata]);
      return name.success ? [[id, name.data]] : [];
    }),
  );

/**
 * The state machine as Amazon States Language, and what stands in it for a function's ARN
 * (`${LogicalId.Arn}`) with the function that it means.
 */
export const stateMachineDefinition = (
  template: Template,
): { readonly definition: JsonObject; readonly functions: Readonly<Record<string, FunctionName>> } => {
  const [, machine] = onlyResource(template, "AWS::StepFunctions::StateMachine");
  const text = z.string().parse(plain(machine.Properties["DefinitionString"]));
  const named = [...functionsOf(template)].map(([id, name]) => [`\${${id}.Arn}`, name] as const);
  return {
    definition: definitionSchema.parse(text),
    functions: Object.fromEntries(named.filter(([arn]) => text.includes(arn))),
  };
};

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));
const tableSchema = z.object({
  AttributeDefinitions: z.array(
    z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }),
  ),
  KeySchema: keySchema,
  BillingMode: z.enum(["PAY_PER_REQUEST", "PROVISIONED"]),
  GlobalSecondaryIndexes: z.array(
    z.object({
      IndexName: z.string(),
      KeySchema: keySchema,
      Projection: z.object({ ProjectionType: z.enum(["ALL", "KEYS_ONLY", "INCLUDE"]) }),
    }),
  ),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.literal(true) }),
});

const tableProperties = (template: Template) =>
  tableSchema.parse(onlyResource(template, "AWS::DynamoDB::Table")[1].Properties);

/**
 * The table as CreateTable takes it. Without its stream, which locally the host stands for; expiry is
 * no part of that request either (`tableTimeToLive`).
 */
export const tableDefinition = (template: Template, tableName = "stepyard"): CreateTableCommandInput => {
  const { TimeToLiveSpecification: _, ...table } = tableProperties(template);
  return { TableName: tableName, ...table };
};

/** The attribute that holds an item's end, as UpdateTimeToLive takes it. */
export const tableTimeToLive = (
  template: Template,
): { readonly AttributeName: string; readonly Enabled: true } =>
  tableProperties(template).TimeToLiveSpecification;
