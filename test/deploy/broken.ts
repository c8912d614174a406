/** Breaks the stack in one place after the other and shows which check notices: `npm run test:deploy:broken`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { startModelServer } from "../../local/model/server.ts";
import { type Breakage, type Check, select } from "./breakages.ts";
import { createCdk } from "./cdk.ts";
import { type Outcome, runChecks } from "./checks.ts";
import { Editable } from "./edit.ts";
import { region, startEmulator } from "./emulator.ts";
import { runScript, say, timeLimit } from "./progress.ts";
import { installEmulator } from "./python.ts";
import { slowWhenAsked } from "./slow-model.ts";
import { openStage, type Stage } from "./stage.ts";

const program = new Command("stepyard-test-deploy-broken")
  .description("Breaks the stack in one place after the other and shows which check notices.")
  .argument("[words...]", "only breakages that have all of these words in their title")
  .addHelpText("after", "\nExample:\n  npm run test:deploy:broken -- permission")
  .parse();

const signal = timeLimit(20);
const config = join(import.meta.dirname, "vitest.config.ts");

type Bench = { readonly python: string; readonly place: string };

const templateFile = ({ place }: Bench) => join(place, "cdk.out", "stepyard.template.json");

/** The checks of the template, on the one that stands in the assembly now. */
const checkTemplate = (bench: Bench, checks: readonly Check[]) =>
  runChecks(checks, {
    place: bench.place,
    env: { ...process.env, STEPYARD_TEST_TEMPLATE: templateFile(bench) },
    signal,
  });

/** Deploys what stands in the assembly now onto an emulator of its own, and checks it there. */
async function checkDeployed(bench: Bench, checks: readonly Check[]): Promise<Outcome[]> {
  const own = join(bench.place, "emulator");
  mkdirSync(own);
  const emulator = await startEmulator(bench.python, own, signal);
  let stage: Stage | null = null;
  try {
    const cdk = createCdk({ emulator, place: bench.place, signal });
    await cdk.bootstrap();
    stage = await openStage(await cdk.deploy(), emulator);
    return await runChecks(checks, { place: bench.place, config, env: stage.env, signal });
  } finally {
    // In this order: a broken function that still runs is not waited for.
    await emulator.stop();
    await stage?.close();
    rmSync(own, { recursive: true, force: true });
  }
}

const deployedChecks = (breakages: readonly Breakage[]): Check[] => {
  const checks = breakages.flatMap(({ deployed }) => deployed ?? []);
  return [...new Map(checks.map((check) => [`${check.file} ${check.name}`, check])).values()];
};

/** A check that fails on a stack that is whole shows nothing. */
async function checkWhole(bench: Bench, breakages: readonly Breakage[]): Promise<void> {
  const deployed = deployedChecks(breakages);
  const outcomes = [
    ...(await checkTemplate(
      bench,
      breakages.map(({ template }) => template),
    )),
    ...(deployed.length === 0 ? [] : await checkDeployed(bench, deployed)),
  ];
  const failed = outcomes.filter(({ passed }) => !passed);
  if (failed.length > 0)
    throw new Error(
      `fails without any breakage: ${failed.map(({ name, why }) => `${name}: ${why}`).join("; ")}`,
    );
  say(`nothing broken: ${outcomes.length} checks pass`);
}

/** Breaks the stack and gives how many checks did not notice. */
async function checkBroken(bench: Bench, whole: Editable, breakage: Breakage): Promise<number> {
  say(breakage.title);
  const template = structuredClone(whole);
  breakage.break(template);
  writeFileSync(templateFile(bench), JSON.stringify(template));
  const outcomes = [
    ...(await checkTemplate(bench, [breakage.template])),
    ...(breakage.deployed === null ? [] : await checkDeployed(bench, [breakage.deployed])),
  ];
  for (const { name, file, passed, why } of outcomes)
    say(passed ? `  NOT NOTICED by ${file}: ${name}` : `  noticed by ${file}: ${name}: ${why.slice(0, 200)}`);
  return outcomes.filter(({ passed }) => passed).length;
}

async function breakAll(bench: Bench, breakages: readonly Breakage[]): Promise<void> {
  const model = await startModelServer({ respond: slowWhenAsked });
  try {
    say("cdk synth");
    const env = { HOME: bench.place, AWS_REGION: region, AWS_DEFAULT_REGION: region };
    await createCdk({ emulator: { env }, place: bench.place, signal }).synth({
      openaiBaseUrl: model.openaiBaseUrl,
      anthropicBaseUrl: model.anthropicBaseUrl,
    });
    const whole = Editable.parse(JSON.parse(readFileSync(templateFile(bench), "utf8")));
    await checkWhole(bench, breakages);
    let unnoticed = 0;
    for (const breakage of breakages) unnoticed += await checkBroken(bench, whole, breakage);
    if (unnoticed > 0) throw new Error(`${unnoticed} checks pass although the stack is broken`);
  } finally {
    await model.close();
  }
}

await runScript(signal, async () => {
  const breakages = select(program.args);
  if (breakages.length === 0) throw new Error("no breakage has these words in its title");
  const python = await installEmulator(signal);
  const place = mkdtempSync(join(tmpdir(), "stepyard-broken-"));
  let passed = false;
  try {
    await breakAll({ python, place }, breakages);
    passed = true;
  } finally {
    if (passed) rmSync(place, { recursive: true, force: true });
    else console.error(`what was written stands in ${place}`);
  }
  say(`passed: each of ${breakages.length} breakages is noticed`);
});
