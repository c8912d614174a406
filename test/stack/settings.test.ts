import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createApp } from "../../lib/app.ts";
import { cdkContext } from "../../lib/synthesize.ts";
import { onlyResource, parseTemplate, resourcesOfType, type Template } from "../../lib/template.ts";
import { lambdaOf } from "./readable.ts";

/** The template with other settings than those of `cdk.json`; values as `-c` passes them. */
const withSettings = (settings: Record<string, string>): Template => {
  const outdir = mkdtempSync(join(tmpdir(), "stepyard-settings-"));
  try {
    const { app, stack } = createApp({
      outdir,
      context: { ...cdkContext(), ...settings, "aws:cdk:bundling-stacks": [] },
      builtinCloudFormationValidation: false,
    });
    return parseTemplate(app.synth().getStackArtifact(stack.artifactId).template);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

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
    ["removalPolicy", "keep"],
    ["logRetentionDays", "4"],
    ["name", "Not A Name"],
    ["throttleRate", "0"],
    ["openaiBaseUrl", "http://models.example/v1"],
  ])("refuse %s=%s and name the key", (key, value) => {
    expect(() => withSettings({ [key]: value })).toThrow(
      `Correct the context in cdk.json or after -c: ${key}:`,
    );
  });

  it("take a model on the same machine without TLS", () => {
    expect(() => withSettings({ anthropicBaseUrl: "http://127.0.0.1:8080" })).not.toThrow();
  });
});
