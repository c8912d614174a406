import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AssetHashType, DockerImage } from "aws-cdk-lib";
import { type AssetCode, Code } from "aws-cdk-lib/aws-lambda";
import { buildSync } from "esbuild";
import type { FunctionName } from "../contract/env.ts";

const projectRoot = fileURLToPath(new URL("..", import.meta.url));

/** Files that a function starts at run time beside its handler, by the name they get in the bundle. */
const workers: Partial<Record<FunctionName, Readonly<Record<string, string>>>> = {
  api: { "schema-worker": "adapters/schemas/worker.ts" },
  advance: {
    "script-worker": "adapters/script/worker.ts",
    "schema-worker": "adapters/schemas/worker.ts",
  },
};

/**
 * Writes a function's bundle to `outputDir`: `index.mjs`, its workers, source maps, and a chunk for
 * what is imported lazily, so that a cold start does not parse a model SDK it does not call.
 * Everything is bundled, the AWS SDK too: what was tested is what runs.
 * @throws when esbuild cannot resolve or parse a file; the message names it.
 */
export const bundleFunction = (name: FunctionName, outputDir: string): void => {
  const { outputFiles } = buildSync({
    absWorkingDir: projectRoot,
    entryPoints: { index: `functions/${name}.ts`, ...workers[name] },
    // A place that is the same everywhere: source maps hold paths relative to it, and the asset's hash
    // shall not depend on where the assembly is written.
    outdir: "bundle",
    write: false,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    mainFields: ["module", "main"],
    splitting: true,
    // Flat, so that `new URL("./script-worker.mjs", import.meta.url)` holds from a chunk as well.
    chunkNames: "chunk-[hash]",
    // CommonJS dependencies call `require` for Node's own modules, which ESM does not define.
    banner: {
      js: 'import{createRequire as createBundleRequire}from"node:module";const require=createBundleRequire(import.meta.url);',
    },
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    logLevel: "error",
  });
  mkdirSync(outputDir, { recursive: true });
  for (const file of outputFiles) writeFileSync(join(outputDir, basename(file.path)), file.contents);
};

/** The code of a function as a CDK asset, bundled in this process: no container, no network, no shell. */
export const functionCode = (name: FunctionName): AssetCode =>
  Code.fromAsset(join(projectRoot, "functions"), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never pulled: the local bundler either succeeds or throws.
      image: DockerImage.fromRegistry("unused"),
      // The CDK caches assets by these options; without a difference all functions would share one bundle.
      command: [name],
      local: {
        tryBundle: (outputDir) => {
          bundleFunction(name, outputDir);
          return true;
        },
      },
    },
  });
