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

const checkedApp = () => {
  const created = createApp({ outdir, context: { ...cdkContext(), "aws:cdk:bundling-stacks": [] } });
  addChecks(created.app);
  return created;
};

describe("checks", { timeout: 60_000 }, () => {
  it("find nothing in the stack, neither error nor warning", () => {
    checkedApp().app.synth();
    const report: unknown = JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8"));
    expect(report).toMatchObject({ pluginReports: [] });
  });

  it("fail synthesis on a finding that nobody has accepted", () => {
    const { app, stack } = checkedApp();
    new Queue(stack, "Plain");
    expect(() => app.synth()).toThrow("AwsSolutions-SQS4");
  });
});
