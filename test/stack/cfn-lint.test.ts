import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { synthesize } from "../../lib/synthesize.ts";
import { parseTemplate } from "../../lib/template.ts";
import { cfnLint, missingCfnLint } from "./cfn-lint.ts";
import { withSettings } from "./with-settings.ts";

const missing = missingCfnLint();
if (missing !== undefined) console.warn(`skipped: ${missing}`);

describe.skipIf(missing !== undefined)("cfn-lint", () => {
  const scratch = mkdtempSync(join(tmpdir(), "stepyard-lint-"));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  let findings: readonly string[] = [];
  const findingsOn = (name: string) => findings.filter((line) => line.includes(`${name}.json`));

  beforeAll(async () => {
    const template = await synthesize();
    const Slip = { Type: "AWS::SQS::Queue", Properties: { Nme: "x" } };
    const templates = {
      plain: template,
      mailed: withSettings({ alarmEmail: "operator@agents.example", removalPolicy: "destroy" }),
      slipped: parseTemplate({ Resources: { ...template.Resources, Slip } }),
    };
    const files = Object.entries(templates).map(([name, content]) => {
      const file = join(scratch, `${name}.json`);
      writeFileSync(file, JSON.stringify(content));
      return file;
    });
    findings = cfnLint(files).split("\n");
  }, 180_000);

  it("finds nothing in the template", () => {
    expect(findingsOn("plain")).toEqual([]);
  });

  it("finds nothing in it with alarm mail, and data that goes with the stack", () => {
    expect(findingsOn("mailed")).toEqual([]);
  });

  it("finds a property that no such resource has", () => {
    expect(findingsOn("slipped").join()).toContain("E3002");
  });
});
