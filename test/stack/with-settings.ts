import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../lib/app.ts";
import { cdkContext } from "../../lib/synthesize.ts";
import { parseTemplate, type Template } from "../../lib/template.ts";

type Synthesized = { readonly template: Template; readonly tags: Readonly<Record<string, string>> };

/** The stack with other settings than those of `cdk.json`, without bundles; values as `-c` passes them. */
export const synthesizeWith = (settings: Readonly<Record<string, unknown>>): Synthesized => {
  const outdir = mkdtempSync(join(tmpdir(), "stepyard-settings-"));
  try {
    const { app, stack } = createApp({
      outdir,
      context: { ...cdkContext(), ...settings, "aws:cdk:bundling-stacks": [] },
      builtinCloudFormationValidation: false,
    });
    const { template, tags } = app.synth().getStackArtifact(stack.artifactId);
    return { template: parseTemplate(template), tags };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

export const withSettings = (settings: Readonly<Record<string, unknown>>): Template =>
  synthesizeWith(settings).template;
