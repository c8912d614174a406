import { describe, expect, it } from "vitest";
import { onlyResource, resourcesOfType } from "../../lib/template.ts";
import { lambdaOf } from "./readable.ts";
import { synthesizeWith, withSettings } from "./with-settings.ts";

describe("settings", { timeout: 30_000 }, () => {
  it("let a stack go with its data", () => {
    const template = withSettings({ removalPolicy: "destroy" });
    for (const type of ["AWS::DynamoDB::Table", "AWS::KMS::Key", "AWS::S3::Bucket"])
      for (const [, resource] of resourcesOfType(template, type))
        expect(resource["DeletionPolicy"]).toBe("Delete");
  });

  it("name the stack and its machine, so that two fit into one account", () => {
    const [, machine] = onlyResource(withSettings({ name: "other" }), "AWS::StepFunctions::StateMachine");
    expect(machine.Properties["StateMachineName"]).toBe("other-runs");
  });

  it("reach stage, logs and functions", () => {
    const template = withSettings({
      throttleRate: "5",
      throttleBurst: "7",
      logRetentionDays: "3",
      openaiBaseUrl: "https://models.example/v1",
      operatorProject: "prj_1",
    });
    const [, stage] = onlyResource(template, "AWS::ApiGateway::Stage");
    expect(stage.Properties["MethodSettings"]).toMatchObject([
      { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 7 },
    ]);
    for (const [, group] of resourcesOfType(template, "AWS::Logs::LogGroup"))
      expect(group.Properties["RetentionInDays"]).toBe(3);
    expect(lambdaOf(template, "advance").resource.Properties["Environment"]).toMatchObject({
      Variables: { OPENAI_BASE_URL: "https://models.example/v1" },
    });
    expect(lambdaOf(template, "api").resource.Properties["Environment"]).toMatchObject({
      Variables: { STEPYARD_OPERATOR_PROJECT: "prj_1" },
    });
  });

  it("leave API Gateway's account setting alone where it is set already", () => {
    const template = withSettings({ gatewayLogRole: "false" });
    expect(resourcesOfType(template, "AWS::ApiGateway::Account")).toEqual([]);
  });

  it.each([
    ["removalPolicy", "keep", "retain or destroy"],
    ["logRetentionDays", "4", "a number of days that CloudWatch knows: 1, 3, 5, 7"],
    ["name", "Not A Name", "up to 40 lower-case letters, digits and hyphens, a letter first"],
    ["throttleRate", "0", "a whole number from 1 to 10,000"],
    ["toolResultSeconds", "1.5", "a whole number from 1 to 604,800"],
    ["openaiBaseUrl", "http://models.example/v1", "an address that begins with https://"],
    ["alarmEmail", "nobody", "an e-mail address, or empty"],
    ["gatewayLogRole", "perhaps", "true or false"],
    ["tags", "project", "a JSON object of text"],
    ["tags", '{"aws:owner":"me"}', "a JSON object of text"],
  ])("refuse %s=%s, name the key and say what is allowed", (key, value, allowed) => {
    expect(() => withSettings({ [key]: value })).toThrow(
      `Correct the context in cdk.json or after -c:\n  ${key}: is ${JSON.stringify(value)}, allowed is ${allowed}`,
    );
  });

  it("refuse to be missing", () => {
    expect(() => withSettings({ logLevel: undefined })).toThrow(
      "logLevel: is missing, allowed is info or warn",
    );
  });

  it("refuse a key that is none of them, so that a slip does not pass for a default", () => {
    expect(() => withSettings({ alarmMail: "a@b.example" })).toThrow(
      "alarmMail: no such setting, there are name,",
    );
  });

  it("take a model on the same machine without TLS", () => {
    expect(() => withSettings({ anthropicBaseUrl: "http://127.0.0.1:8080" })).not.toThrow();
  });

  it("tag the stack with its name, unless told otherwise", () => {
    expect(synthesizeWith({ name: "other" }).tags).toEqual({ project: "other" });
    expect(synthesizeWith({ tags: '{"team":"agents","stack":"a <name>"}' }).tags).toEqual({
      team: "agents",
      stack: "a stepyard",
    });
  });
});
