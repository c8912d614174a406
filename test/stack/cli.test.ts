import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { functionNames } from "../../contract/env.ts";
import { parseTemplate } from "../../lib/template.ts";
import { lambdaOf } from "./readable.ts";

const projectRoot = fileURLToPath(new URL("../..", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "stepyard-cli-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const output = join(scratch, "cdk.out");

const synth = () =>
  spawnSync(
    process.execPath,
    [join(projectRoot, "node_modules/aws-cdk/bin/cdk"), "synth", "--quiet", "--output", output],
    {
      cwd: projectRoot,
      encoding: "utf8",
      // No AWS variables, no profile, and a proxy that nobody answers at.
      env: {
        HOME: scratch,
        PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
        HTTPS_PROXY: "http://127.0.0.1:9",
        HTTP_PROXY: "http://127.0.0.1:9",
      },
    },
  );

const codeSchema = z.object({ Code: z.object({ S3Key: z.string() }) });

describe("cdk synth", { timeout: 240_000 }, () => {
  it("works without account, network or container, and bundles every function by itself", () => {
    const { status, stderr } = synth();
    expect(stderr).not.toMatch(/error|warning/i);
    expect(status).toBe(0);
    const template = parseTemplate(JSON.parse(readFileSync(join(output, "stepyard.template.json"), "utf8")));
    const assets = functionNames.map((name) => {
      const { Code } = codeSchema.parse(lambdaOf(template, name).resource.Properties);
      return `asset.${Code.S3Key.replace(/\.zip$/, "")}`;
    });
    expect(new Set(assets).size).toBe(functionNames.length);
    for (const asset of assets) expect(readdirSync(join(output, asset))).toContain("index.mjs");
  });
});
