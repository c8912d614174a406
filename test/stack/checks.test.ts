import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Queue } from "aws-cdk-lib/aws-sqs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApp } from "../../lib/app.ts";
import { addChecks } from "../../lib/checks.ts";
import { cdkContext } from "../../lib/synthesize.ts";

let outdir = "";
beforeEach(() => {
  outdir = mkdtempSync(join(tmpdir(), "stepyard-checks-"));
});
afterEach(() => rmSync(outdir, { recursive: true, force: true }));

const checkedApp = (settings: Readonly<Record<string, string>> = {}) => {
  const context = { ...cdkContext(), ...settings, "aws:cdk:bundling-stacks": [] };
  const created = createApp({ outdir, context });
  addChecks(created.app);
  return created;
};

describe("checks", { timeout: 120_000 }, () => {
  it.each([
    ["as it comes", {}],
    ["with alarm mail", { alarmEmail: "operator@agents.example" }],
  ])("find nothing in the stack %s, neither error nor warning", (_, settings) => {
    checkedApp(settings).app.synth();
    const report: unknown = JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8"));
    expect(report).toMatchObject({ pluginReports: [] });
  });

  it("fail synthesis on a finding that nobody has accepted", () => {
    const { app, stack } = checkedApp();
    new Queue(stack, "Plain");
    expect(() => app.synth()).toThrow("AwsSolutions-SQS4");
  });
});
