/** Deploys the stack onto an emulator of AWS, tests it there, and removes it: `npm run test:deploy`. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createCredentials } from "../../adapters/aws/credentials.ts";
import { startModelServer } from "../../local/model/server.ts";
import { createCdk, type Outputs } from "./cdk.ts";
import { run } from "./commands.ts";
import { type Emulator, region, startEmulator } from "./emulator.ts";
import { startFront } from "./front.ts";
import { skipped } from "./gaps.ts";
import { added, listAccount, sortRemains } from "./inventory.ts";
import { installEmulator, Missing, version } from "./python.ts";
import { slowWhenAsked } from "./slow-model.ts";
import { warmUp } from "./warm-up.ts";

const project = join(import.meta.dirname, "../..");
const TIME_LIMIT_MS = 10 * 60_000;

const started = Date.now();
const say = (text: string) =>
  console.log(`[${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s] ${text}`);

const interrupted = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const)
  process.once(name, () => interrupted.abort(new Error(`${name} came`)));
const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(TIME_LIMIT_MS)]);

/** Two projects with a key each, written as the stack's own adapter writes them. */
async function createKeys({ TableName }: Outputs, { url }: Emulator): Promise<readonly [string, string]> {
  const client = new DynamoDBClient({
    endpoint: url,
    region,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const credentials = createCredentials({ client: DynamoDBDocumentClient.from(client), table: TableName });
  const secrets = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")] as const;
  await credentials.put(secrets[0], "prj_deployed");
  await credentials.put(secrets[1], "prj_other");
  client.destroy();
  return secrets;
}

/** The API's tests, over the deployed endpoints. */
async function testApi(outputs: Outputs, emulator: Emulator): Promise<void> {
  const [apiId = ""] = new URL(outputs.BaseUrl).hostname.split(".");
  const [, name = ""] = new URL(outputs.BaseUrl).pathname.split("/");
  const front = await startFront({ url: emulator.url, apiId, name });
  try {
    const [key, other] = await createKeys(outputs, emulator);
    say("the first runs");
    await warmUp(`${front.url}/v1`, key);
    say("the API's tests");
    const env = {
      ...emulator.env,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      STEPYARD_TEST_URL: `${front.url}/v1`,
      STEPYARD_TEST_KEY: key,
      STEPYARD_TEST_KEY_OTHER: other,
      STEPYARD_TEST_STATE_MACHINE: outputs.StateMachineArn,
      STEPYARD_TEST_WORKERS: emulator.workers,
    };
    const vitest = join(project, "node_modules/vitest/vitest.mjs");
    const args = [vitest, "run", "--config", join(import.meta.dirname, "vitest.config.ts")];
    await run(
      { command: process.execPath, args: [...args, ...process.argv.slice(2)], cwd: project, env, signal },
      true,
    );
  } finally {
    await front.close();
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

async function main(): Promise<void> {
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
}

await main().catch((error: unknown) => {
  if (error instanceof Missing) return console.log(`skipped: the deployment test: ${error.message}`);
  console.error(signal.aborted ? signal.reason : error);
  process.exitCode = 1;
});
