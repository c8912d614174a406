/** Deploys the stack onto an emulator of AWS, tests it there, and removes it: `npm run test:deploy`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { startModelServer } from "../../local/model/server.ts";
import { createCdk, type Outputs } from "./cdk.ts";
import { run } from "./commands.ts";
import { type Emulator, startEmulator } from "./emulator.ts";
import { skipped } from "./gaps.ts";
import { added, listAccount, sortRemains } from "./inventory.ts";
import { runScript, say, timeLimit } from "./progress.ts";
import { installEmulator, version } from "./python.ts";
import { slowWhenAsked } from "./slow-model.ts";
import { openStage } from "./stage.ts";
import { warmUp } from "./warm-up.ts";

const program = new Command("stepyard-test-deploy")
  .description("Deploys the stack onto an emulator of AWS on this machine, tests it there, and removes it.")
  .argument("[words...]", "given to vitest: parts of files' names, or its options, such as -t and a title")
  .allowUnknownOption()
  .addHelpText("after", "\nExample:\n  npm run test:deploy -- scenario")
  .parse();

const project = join(import.meta.dirname, "../..");
const signal = timeLimit(10);

/** The API's tests, over the deployed endpoints. */
async function testApi(outputs: Outputs, emulator: Emulator): Promise<void> {
  const stage = await openStage(outputs, emulator);
  try {
    say("the first runs");
    await warmUp(stage.url, stage.key);
    say("the API's tests");
    const vitest = join(project, "node_modules/vitest/vitest.mjs");
    const config = ["--config", join(import.meta.dirname, "vitest.config.ts")];
    const args = [vitest, "run", ...config, ...program.args];
    await run({ command: process.execPath, args, cwd: project, env: stage.env, signal }, true);
  } finally {
    await stage.close();
  }
}

async function deployAndTest(python: string, emulator: Emulator, place: string): Promise<void> {
  const model = await startModelServer({ respond: slowWhenAsked });
  try {
    const cdk = createCdk({ emulator, place, signal });
    say("cdk synth");
    await cdk.synth({ openaiBaseUrl: model.openaiBaseUrl, anthropicBaseUrl: model.anthropicBaseUrl });
    say("cdk bootstrap");
    await cdk.bootstrap();
    const before = await listAccount(python, emulator, signal);
    say("cdk deploy");
    const outputs = await cdk.deploy();
    say(`deployed: ${outputs.BaseUrl}`);
    await testApi(outputs, emulator);
    say("cdk destroy");
    await cdk.destroy();
    const { kept, strays } = sortRemains(added(before, await listAccount(python, emulator, signal)));
    for (const line of kept) console.log(`kept: ${line}`);
    if (strays.length > 0) throw new Error(`the stack left behind ${strays.join(", ")}`);
  } finally {
    await model.close();
  }
}

await runScript(signal, async () => {
  say(`MiniStack ${version}: installing, unless it is there already`);
  const python = await installEmulator(signal);
  const place = mkdtempSync(join(tmpdir(), "stepyard-deploy-"));
  let emulator: Emulator | null = null;
  let passed = false;
  try {
    emulator = await startEmulator(python, place, signal);
    say(`the emulator listens at ${emulator.url}`);
    await deployAndTest(python, emulator, place);
    passed = true;
  } finally {
    await emulator?.stop();
    if (passed) rmSync(place, { recursive: true, force: true });
    else console.error(`what was written stands in ${place}`);
  }
  for (const [what, why] of skipped) console.log(`skipped: ${what}: ${why}`);
  say("passed");
});
