import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type FunctionName, functionNames } from "../../contract/env.ts";
import { synthesize } from "../../lib/synthesize.ts";
import { resourcesOfType } from "../../lib/template.ts";
import { lambdaOf, permissionsOf, readable } from "./readable.ts";

const template = await synthesize();

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

/** Everything that a function may do. A red test here means: a reviewer has to agree to more, or less. */
const allowed: Record<FunctionName, Record<string, readonly string[]>> = {
  api: {
    "HttpApiLogs.Arn": logs,
    "SessionsTable.Arn": readWrite,
    "BlobsBucket.Arn/sessions/*/*": ["s3:GetObject", "s3:PutObject"],
    "BlobsBucket.Arn/projects/*/configs/*": ["s3:GetObject", "s3:PutObject"],
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

  it("lets the state machine invoke its three functions and no other", () => {
    expect(permissionsOf(template, "RunsMachineRole")).toMatchObject({
      "RunsAdvance.Arn": ["lambda:InvokeFunction"],
      "RunsAwait.Arn": ["lambda:InvokeFunction"],
      "RunsLost.Arn": ["lambda:InvokeFunction"],
      "*": expect.not.arrayContaining(["lambda:InvokeFunction"]),
    });
  });

  it("uses a managed policy only for the role that API Gateway logs through", () => {
    const managed = resourcesOfType(template, "AWS::IAM::Role").filter(
      ([, { Properties }]) => Properties["ManagedPolicyArns"] !== undefined,
    );
    expect(managed.map(([id]) => readable(`\${${id}}`))).toEqual(["HttpRestApiCloudWatchRole"]);
  });
});
