import { createHash, randomUUID } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { parseTemplate, type Template } from "./template.ts";

const projectRoot = fileURLToPath(new URL("..", import.meta.url));
const cacheDir = join(projectRoot, "node_modules", ".cache", "stepyard");

/** All that a template depends on, as its bundles are left out: the constructs, the names, the settings, the CDK. */
const inputs = (): readonly string[] => [
  "cdk.json",
  "package-lock.json",
  ...["contract", "lib"].flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .sort()
      .map((file) => join(folder, file)),
  ),
];

const fingerprint = (): string => {
  const hash = createHash("sha256");
  for (const file of inputs())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(projectRoot, file)))
      .update("\0");
  return hash.digest("hex").slice(0, 32);
};

const readCached = (file: string): Template | undefined => {
  try {
    return parseTemplate(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return undefined;
  }
};

/** Best effort: where the folder cannot be written, the next start synthesizes again. Older templates go. */
const writeCached = (file: string, template: unknown): void => {
  try {
    mkdirSync(cacheDir, { recursive: true });
    const partial = `${file}.${randomUUID()}`;
    writeFileSync(partial, JSON.stringify(template));
    renameSync(partial, file);
    for (const name of readdirSync(cacheDir))
      if (name.startsWith("template-") && name !== basename(file))
        rmSync(join(cacheDir, name), { force: true });
  } catch {}
};

/** The context that the CLI would pass: settings and feature flags of `cdk.json`. */
export const cdkContext = (): Record<string, unknown> =>
  z
    .object({ context: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(readFileSync(join(projectRoot, "cdk.json"), "utf8"))).context;

const synthesizeNow = async (): Promise<unknown> => {
  // Loaded here: the CDK takes most of the time, and a template from the cache does not need it.
  const { createApp } = await import("./app.ts");
  const outdir = mkdtempSync(join(tmpdir(), "stepyard-synth-"));
  try {
    const { app, stack } = createApp({
      outdir,
      context: { ...cdkContext(), "aws:cdk:bundling-stacks": [] },
      builtinCloudFormationValidation: false,
      treeMetadata: false,
    });
    return app.synth().getStackArtifact(stack.artifactId).template;
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

/**
 * The template of the stack with the settings of `cdk.json`, without bundles and without checks: about
 * 1.5 s the first time, milliseconds while nothing that it depends on has changed.
 */
export const synthesize = async (): Promise<Template> => {
  const file = join(cacheDir, `template-${fingerprint()}.json`);
  const cached = readCached(file);
  if (cached !== undefined) return cached;
  const template = await synthesizeNow();
  writeCached(file, template);
  return parseTemplate(template);
};
