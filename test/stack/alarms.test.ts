import { describe, expect, it } from "vitest";
import * as z from "zod";
import { synthesize } from "../../lib/synthesize.ts";
import { onlyResource, resourcesOfType, type Template } from "../../lib/template.ts";
import { projectFile, readable } from "./readable.ts";
import { withSettings } from "./with-settings.ts";

const alarmSchema = z.looseObject({
  AlarmName: z.string(),
  AlarmDescription: z.string(),
  Metrics: z.array(z.looseObject({ MetricStat: z.unknown().optional() })).optional(),
});

const alarmsOf = (template: Template) =>
  resourcesOfType(template, "AWS::CloudWatch::Alarm").map(([, { Properties }]) =>
    alarmSchema.parse(readable(Properties)),
  );

const template = await synthesize();
const alarms = new Map(alarmsOf(template).map((alarm) => [alarm.AlarmName, alarm]));

const atLeast = "GreaterThanOrEqualToThreshold";
const machine = [{ Name: "StateMachineArn", Value: "RunsMachine" }];
const functionNamed = (Value: string) => [{ Name: "FunctionName", Value }];

describe("alarms", () => {
  it("are these, on ten metrics, which is what they cost", () => {
    expect([...alarms.keys()]).toEqual([
      "stepyard-runs-failed",
      "stepyard-runs-timed-out",
      "stepyard-runs-aborted",
      "stepyard-sweep-errors",
      "stepyard-sweep-silent",
      "stepyard-stream-lag",
      "stepyard-server-errors",
      "stepyard-dead-letters",
      "stepyard-advance-throttled",
    ]);
    const metrics = [...alarms.values()].map(
      ({ Metrics }) => Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1,
    );
    expect(metrics.reduce((sum, count) => sum + count)).toBe(10);
  });

  it("name a section of the runbook each, and the runbook has none that nothing names", () => {
    const sections = [...alarms.values()].map(({ AlarmDescription }) => {
      const [, section] = /See "(.+)" in docs\/runbook\.md\.$/.exec(AlarmDescription) ?? [];
      return section;
    });
    const runbook = projectFile("docs/runbook.md");
    const described = runbook.split("\n## Alarms\n")[1]?.split("\n## ")[0] ?? "";
    const headings = [...described.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
    expect(new Set(headings)).toEqual(new Set(sections));
  });

  it.each([
    ["runs-failed", "ExecutionsFailed", machine],
    ["runs-timed-out", "ExecutionsTimedOut", machine],
    ["runs-aborted", "ExecutionsAborted", machine],
  ])("%s: one execution in five minutes", (name, MetricName, Dimensions) => {
    expect(alarms.get(`stepyard-${name}`)).toMatchObject({
      Namespace: "AWS/States",
      MetricName,
      Dimensions,
      Statistic: "Sum",
      Period: 300,
      Threshold: 1,
      ComparisonOperator: atLeast,
      EvaluationPeriods: 1,
      TreatMissingData: "notBreaching",
    });
  });

  it("sweep-errors: three of five sweeps", () => {
    expect(alarms.get("stepyard-sweep-errors")).toMatchObject({
      MetricName: "Errors",
      Dimensions: functionNamed("UpkeepSweep"),
      Period: 300,
      Threshold: 3,
      ComparisonOperator: atLeast,
      TreatMissingData: "notBreaching",
    });
  });

  it("sweep-silent: no sweep in ten minutes, and no data is no sweep", () => {
    expect(alarms.get("stepyard-sweep-silent")).toMatchObject({
      MetricName: "Invocations",
      Dimensions: functionNamed("UpkeepSweep"),
      Statistic: "Sum",
      Period: 600,
      Threshold: 1,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
  });

  it("stream-lag: records a minute old when they are read, three minutes of five", () => {
    expect(alarms.get("stepyard-stream-lag")).toMatchObject({
      MetricName: "IteratorAge",
      Dimensions: functionNamed("UpkeepFanout"),
      Statistic: "Maximum",
      Period: 60,
      Threshold: 60_000,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
    });
  });

  it("server-errors: five answers and a hundredth of all, so that one in a quiet night wakes nobody", () => {
    const metric = (Stat: string) => ({
      Metric: {
        Namespace: "AWS/ApiGateway",
        MetricName: "5XXError",
        Dimensions: [
          { Name: "ApiName", Value: "stepyard" },
          { Name: "Stage", Value: "HttpRestApiDeploymentStageapi" },
        ],
      },
      Period: 300,
      Stat,
    });
    expect(alarms.get("stepyard-server-errors")).toMatchObject({
      Metrics: [
        { Expression: "IF(errors >= 5 AND rate >= 0.01, errors, 0)" },
        { Id: "errors", MetricStat: metric("Sum"), ReturnData: false },
        { Id: "rate", MetricStat: metric("Average"), ReturnData: false },
      ],
      Threshold: 1,
      ComparisonOperator: atLeast,
    });
  });

  it("dead-letters: one message", () => {
    expect(alarms.get("stepyard-dead-letters")).toMatchObject({
      Namespace: "AWS/SQS",
      MetricName: "ApproximateNumberOfMessagesVisible",
      Dimensions: [{ Name: "QueueName", Value: "DeadLettersQueue.QueueName" }],
      Statistic: "Maximum",
      Threshold: 1,
    });
  });

  it("advance-throttled: refused turns, three minutes of five", () => {
    expect(alarms.get("stepyard-advance-throttled")).toMatchObject({
      MetricName: "Throttles",
      Dimensions: functionNamed("RunsAdvance"),
      Threshold: 1,
      EvaluationPeriods: 5,
      DatapointsToAlarm: 3,
    });
  });

  it("tell nobody without an address, and no topic is there", () => {
    expect(resourcesOfType(template, "AWS::SNS::Topic")).toEqual([]);
    for (const alarm of alarms.values()) expect(alarm["AlarmActions"]).toBeUndefined();
  });
});

describe("alarm mail", { timeout: 30_000 }, () => {
  const mailed = withSettings({ alarmEmail: "operator@agents.example" });
  const [topicId, topic] = onlyResource(mailed, "AWS::SNS::Topic");
  const fromAlarms = {
    Effect: "Allow",
    Principal: { Service: "cloudwatch.amazonaws.com" },
    Condition: {
      StringEquals: { "aws:SourceAccount": "<AccountId>" },
      ArnLike: { "aws:SourceArn": "arn:aws:cloudwatch:<Region>:<AccountId>:alarm:stepyard-*" },
    },
  };

  it("goes out for every alarm, to the one address", () => {
    for (const [, { Properties }] of resourcesOfType(mailed, "AWS::CloudWatch::Alarm"))
      expect(Properties["AlarmActions"]).toEqual([{ Ref: topicId }]);
    expect(onlyResource(mailed, "AWS::SNS::Subscription")[1].Properties).toEqual({
      Protocol: "email",
      Endpoint: "operator@agents.example",
      TopicArn: { Ref: topicId },
    });
  });

  it("passes a topic that takes alarms of this stack over TLS and nothing else", () => {
    const [, policy] = onlyResource(mailed, "AWS::SNS::TopicPolicy");
    expect(readable(policy.Properties)).toMatchObject({
      PolicyDocument: {
        Statement: [
          {
            Effect: "Deny",
            Action: "sns:Publish",
            Principal: "*",
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          },
          { ...fromAlarms, Action: "sns:Publish", Resource: "AlarmsTopic" },
        ],
      },
    });
  });

  it("is encrypted with a key that CloudWatch may use", () => {
    expect(readable(topic.Properties)).toMatchObject({ KmsMasterKeyId: "AlarmsTopicKey.Arn" });
    const [key] = resourcesOfType(mailed, "AWS::KMS::Key").filter(([id]) => id.startsWith("AlarmsTopicKey"));
    expect(readable(key?.[1].Properties)).toMatchObject({
      EnableKeyRotation: true,
      KeyPolicy: {
        Statement: expect.arrayContaining([
          { ...fromAlarms, Action: ["kms:Decrypt", "kms:GenerateDataKey*"], Resource: "*" },
        ]),
      },
    });
  });
});
