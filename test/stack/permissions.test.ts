import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type FunctionName, functionNames } from "../../contract/env.ts";
import { readSettings } from "../../functions/settings.ts";
import { resourcesOfType } from "../../lib/template.ts";
import { lambdaOf, permissionsOf, readable } from "./readable.ts";
import { templateUnderTest } from "./template-under-test.ts";

const template = await templateUnderTest();

const logs = ["logs:CreateLogStream", "logs:PutLogEvents"];
const read = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"];
const readWrite = [
  "dynamodb:BatchGetItem",
  "dynamodb:BatchWriteItem",
  "dynamodb:ConditionCheckItem",
  "dynamodb:DeleteItem",
  "dynamodb:GetItem",
  "dynamodb:PutItem",
  "dynamodb:Query",
  "dynamodb:UpdateItem",
];
const machineByName = "arn:aws:states:<Region>:<AccountId>:stateMachine:stepyard-runs";

/** To find what a deleted session left. */
const listSessions = ['s3:ListBucket if {"StringLike":{"s3:prefix":"sessions/*/"}}'];

/** Everything that a function may do. A red test here means: a reviewer has to agree to more, or less. */
const allowed: Record<FunctionName, Record<string, readonly string[]>> = {
  api: {
    "HttpApiLogs.Arn": logs,
    "SessionsTable.Arn": readWrite,
    "BlobsBucket.Arn": listSessions,
    "BlobsBucket.Arn/sessions/*/*": ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
    "BlobsBucket.Arn/projects/*/configs/*": ["s3:GetObject", "s3:PutObject"],
    "BlobsBucket.Arn/answers/*/*": ["s3:GetObject", "s3:PutObject"],
    "VaultKey.Arn": ["kms:GenerateDataKey"],
    RunsMachine: ["states:SendTaskSuccess", "states:StartExecution"],
  },
  stream: {
    "HttpStreamLogs.Arn": logs,
    "SessionsTable.Arn": ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query"],
    "BlobsBucket.Arn/sessions/*/*": ["s3:GetObject"],
    "BlobsBucket.Arn/projects/*/configs/*": ["s3:GetObject"],
  },
  advance: {
    "RunsAdvanceLogs.Arn": logs,
    "SessionsTable.Arn": readWrite,
    "BlobsBucket.Arn/sessions/*/*": ["s3:GetObject", "s3:PutObject"],
    "BlobsBucket.Arn/projects/*/configs/*": ["s3:GetObject"],
    "VaultKey.Arn": ["kms:Decrypt"],
    [machineByName]: ["states:StartExecution"],
  },
  await: {
    "RunsAwaitLogs.Arn": logs,
    "SessionsTable.Arn": readWrite,
    [machineByName]: ["states:SendTaskSuccess"],
  },
  lost: {
    "RunsLostLogs.Arn": logs,
    "SessionsTable.Arn": readWrite,
    "DeadLettersQueue.Arn": ["sqs:SendMessage"],
  },
  fanout: {
    "UpkeepFanoutLogs.Arn": logs,
    "SessionsTable.Arn": read,
    "SessionsTable.StreamArn": [
      "dynamodb:DescribeStream",
      "dynamodb:GetRecords",
      "dynamodb:GetShardIterator",
      "dynamodb:ListStreams",
    ],
    RunsMachine: ["states:SendTaskSuccess", "states:StartExecution"],
    "DeadLettersQueue.Arn": ["sqs:SendMessage"],
  },
  sweep: {
    "UpkeepSweepLogs.Arn": logs,
    "SessionsTable.Arn": readWrite,
    "SessionsTable.Arn/index/due": ["dynamodb:Query"],
    "BlobsBucket.Arn": listSessions,
    "BlobsBucket.Arn/sessions/*/*": ["s3:DeleteObject"],
    RunsMachine: ["states:SendTaskSuccess", "states:StartExecution"],
    "arn:aws:states:<Region>:<AccountId>:execution:stepyard-runs:*": ["states:DescribeExecution"],
  },
};

/** Names of the variables that each function gets beside those that all share. */
const variables: Record<FunctionName, readonly string[]> = {
  api: ["STEPYARD_BUCKET", "STEPYARD_KMS_KEY_ID", "STEPYARD_STATE_MACHINE_ARN", "STEPYARD_TABLE"],
  stream: ["STEPYARD_BUCKET", "STEPYARD_TABLE"],
  advance: [
    "ANTHROPIC_BASE_URL",
    "OPENAI_BASE_URL",
    "STEPYARD_BUCKET",
    "STEPYARD_KMS_KEY_ID",
    "STEPYARD_SCRIPT_CPU_MS",
    "STEPYARD_STATE_MACHINE_ARN",
    "STEPYARD_TABLE",
    "STEPYARD_TOOL_RESULT_SECONDS",
  ],
  await: ["STEPYARD_BUCKET", "STEPYARD_STATE_MACHINE_ARN", "STEPYARD_TABLE"],
  lost: ["STEPYARD_BUCKET", "STEPYARD_TABLE"],
  fanout: ["STEPYARD_BUCKET", "STEPYARD_STATE_MACHINE_ARN", "STEPYARD_TABLE"],
  sweep: ["STEPYARD_BUCKET", "STEPYARD_STATE_MACHINE_ARN", "STEPYARD_TABLE"],
};

const propertiesSchema = z.object({
  Role: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
});

/** Whether the settings of functions are others, or refused, when the variable holds nonsense. */
const changesSettings = (variables: Readonly<Record<string, string>>, name: string): boolean => {
  const settings = readSettings(variables);
  try {
    return JSON.stringify(readSettings({ ...variables, [name]: "nonsense" })) !== JSON.stringify(settings);
  } catch {
    return true;
  }
};

describe("permissions", () => {
  it.each(functionNames)("allows %s exactly what it needs", (name) => {
    const { Role } = propertiesSchema.parse(readable(lambdaOf(template, name).resource.Properties));
    expect(permissionsOf(template, Role.replace(/\.Arn$/, ""))).toEqual(allowed[name]);
  });

  it.each(functionNames)("tells %s exactly what it may touch", (name) => {
    const { Environment } = propertiesSchema.parse(readable(lambdaOf(template, name).resource.Properties));
    const { NODE_OPTIONS, STEPYARD_LOG_LEVEL, ...own } = Environment.Variables;
    expect([NODE_OPTIONS, STEPYARD_LOG_LEVEL]).toEqual(["--enable-source-maps", "info"]);
    expect(Object.keys(own).sort()).toEqual(variables[name]);
  });

  it.each(functionNames)("tells %s nothing under a name that functions do not read", (name) => {
    const { Environment } = propertiesSchema.parse(readable(lambdaOf(template, name).resource.Properties));
    const { NODE_OPTIONS: _, ...own } = Environment.Variables;
    const unread = Object.keys(own).filter((variable) => !changesSettings(own, variable));
    expect(unread).toEqual([]);
  });

  it("uses a managed policy only for the role that API Gateway logs through", () => {
    const managed = resourcesOfType(template, "AWS::IAM::Role").filter(
      ([, { Properties }]) => Properties["ManagedPolicyArns"] !== undefined,
    );
    expect(managed.map(([id]) => readable(`\${${id}}`))).toEqual(["HttpRestApiCloudWatchRole"]);
  });
});
