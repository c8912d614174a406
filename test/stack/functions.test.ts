import { describe, expect, it } from "vitest";
import { functionNames } from "../../contract/env.ts";
import { onlyResource, resourcesOfType } from "../../lib/template.ts";
import { lambdaOf, readable } from "./readable.ts";
import { templateUnderTest } from "./template-under-test.ts";

const template = await templateUnderTest();

/** Memory in MB and time limit in seconds. */
const sizes = {
  api: [512, 29],
  stream: [256, 900],
  advance: [1024, 900],
  await: [256, 15],
  lost: [256, 30],
  fanout: [256, 60],
  sweep: [512, 55],
} as const;

describe("functions", () => {
  it("are the ones of the contract and no other", () => {
    expect(resourcesOfType(template, "AWS::Lambda::Function")).toHaveLength(functionNames.length);
  });

  it.each(functionNames)("%s runs on Node 24 for Arm with its memory, time and own log group", (name) => {
    const { resource } = lambdaOf(template, name);
    const [MemorySize, Timeout] = sizes[name];
    expect(readable(resource.Properties)).toMatchObject({
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      MemorySize,
      Timeout,
      LoggingConfig: {
        LogFormat: "JSON",
        LogGroup: expect.stringMatching(new RegExp(`${name}logs$`, "i")),
      },
    });
  });

  it("keep logs for as long as the settings say, as do API Gateway and Step Functions", () => {
    const groups = resourcesOfType(template, "AWS::Logs::LogGroup");
    expect(groups).toHaveLength(functionNames.length + 3);
    for (const [, { Properties }] of groups) expect(Properties["RetentionInDays"]).toBe(30);
  });

  it("consume commits of heads from the stream, one failure not failing the batch", () => {
    const [, mapping] = onlyResource(template, "AWS::Lambda::EventSourceMapping");
    expect(readable(mapping.Properties)).toEqual({
      FunctionName: "UpkeepFanout",
      EventSourceArn: "SessionsTable.StreamArn",
      StartingPosition: "TRIM_HORIZON",
      FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"sk":{"S":["HEAD"]}}}}' }] },
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 0,
      MaximumRecordAgeInSeconds: 300,
      MaximumRetryAttempts: 10,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      DestinationConfig: { OnFailure: { Destination: "DeadLettersQueue.Arn" } },
    });
  });

  it("sweep every minute, without repeating a sweep that failed", () => {
    const rules = resourcesOfType(template, "AWS::Events::Rule").map(([, rule]) => readable(rule.Properties));
    expect(rules).toContainEqual(
      expect.objectContaining({
        ScheduleExpression: "rate(1 minute)",
        Targets: [expect.objectContaining({ Arn: "UpkeepSweep.Arn" })],
      }),
    );
    const asyncConfigs = resourcesOfType(template, "AWS::Lambda::EventInvokeConfig");
    expect(asyncConfigs.map(([, config]) => readable(config.Properties))).toContainEqual(
      expect.objectContaining({ FunctionName: "UpkeepSweep", MaximumRetryAttempts: 0 }),
    );
  });

  it("hear of executions of this machine that failed, timed out or were aborted", () => {
    const rules = resourcesOfType(template, "AWS::Events::Rule").map(([, rule]) => readable(rule.Properties));
    expect(rules).toContainEqual(
      expect.objectContaining({
        EventPattern: {
          source: ["aws.states"],
          "detail-type": ["Step Functions Execution Status Change"],
          detail: { status: ["FAILED", "TIMED_OUT", "ABORTED"], stateMachineArn: ["RunsMachine"] },
        },
        Targets: [
          expect.objectContaining({
            Arn: "RunsLost.Arn",
            DeadLetterConfig: { Arn: "DeadLettersQueue.Arn" },
          }),
        ],
      }),
    );
  });

  it("leave what they give up in an encrypted queue for two weeks", () => {
    const [, queue] = onlyResource(template, "AWS::SQS::Queue");
    expect(queue.Properties).toEqual({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 24 * 3600 });
  });
});
