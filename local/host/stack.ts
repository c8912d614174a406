import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient, ResourceInUseException } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createCredentials } from "../../adapters/aws/credentials.ts";
import { ensureKeyFile } from "../../adapters/vault/key-file.ts";
import { env, type FunctionName } from "../../contract/env.ts";
import { laptop } from "../../contract/laptop.ts";
import { wakeups } from "../../functions/host.ts";
import { readSettings } from "../../functions/settings.ts";
import { stateMachineDefinition, tableDefinition } from "../../lib/definition.ts";
import { synthesize } from "../../lib/synthesize.ts";
import { startDynamo } from "../dynamodb/dynamo.ts";
import { offlineRespond } from "../model/offline.ts";
import type { Respond } from "../model/reply.ts";
import { startModelServer } from "../model/server.ts";
import { startS3 } from "../s3/server.ts";
import { type StatusChange, startStepFunctions } from "../stepfunctions/index.ts";
import { ensureFolder } from "./data-folder.ts";
import { startGateway } from "./gateway.ts";
import { type Lambdas, loadLambdas } from "./lambda.ts";
import { installAwslambda } from "./response-stream.ts";
import { createTableStream } from "./table-stream.ts";

const TABLE = "stepyard";
const BUCKET = "stepyard";
const STATE_MACHINE = "arn:aws:states:us-east-1:000000000000:stateMachine:stepyard";
const SWEEP_EVERY_MS = 60_000;
const SECRET = "local";

/** Bearer keys of the laptop and their projects, which share nothing. */
export const devKeys = { "dev-key": "prj_dev", "dev-key-other": "prj_devother" } as const;

export type StackOptions = {
  readonly host: string;
  readonly port: number;
  /** Where state is kept; null keeps it in memory, until the process ends. */
  readonly data: string | null;
  /** Answers model requests in place of the providers. */
  readonly model: "providers" | "offline" | Respond;
};

/** Everything that AWS is to the handlers, in one process on one port for clients. */
export async function startStack(options: StackOptions) {
  const closers: (() => Promise<void> | void)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await start(options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(options: StackOptions, closers: (() => Promise<void> | void)[]) {
  const folder = await dataFolder(options.data, closers);
  const template = await synthesize();
  let lambdas: Lambdas | null = null;
  const loaded = (): Lambdas => {
    if (lambdas === null) throw new Error("the functions are not loaded yet");
    return lambdas;
  };
  const stream = createTableStream(loaded, wakeups.wake);
  const dataFile = options.data === null ? {} : { dataFile: join(folder, "dynamodb", "table.db") };
  const dynamo = await startDynamo({ ...dataFile, onWrite: stream.onWrite, onExit: onEngineExit });
  closers.push(dynamo.close);
  closers.push(stream.close);
  const s3 = await startS3({ directory: join(folder, "s3"), buckets: [BUCKET], secretAccessKey: SECRET });
  closers.push(s3.close);
  const model = options.model === "providers" ? null : await startModel(options.model);
  if (model !== null) closers.push(model.close);

  const keyFile = join(folder, "secrets.key");
  await ensureKeyFile(keyFile);
  setEnvironment({ dynamo: dynamo.url, s3: s3.url, keyFile, model });
  // A variable that no function could work with ends the start, not each request.
  readSettings();
  await createTable(tableDefinition(template, TABLE));
  installAwslambda();
  lambdas = await loadLambdas();

  const { definition, functions } = stateMachineDefinition(template);
  const stepFunctions = await startStepFunctions({
    definition,
    stateMachineArn: STATE_MACHINE,
    ...(options.data === null ? {} : { directory: join(folder, "stepfunctions") }),
    invoke: (arn, payload) => loaded().attempt(functionOf(functions, arn), payload),
    onStatusChange: (detail) => failedExecutionRule(loaded(), detail),
  });
  closers.push(stepFunctions.close);
  process.env["AWS_ENDPOINT_URL_SFN"] = stepFunctions.url;

  const counters = () => ({
    invocations: loaded().invocations,
    transitions: stepFunctions.counters.transitions,
    executions: stepFunctions.counters.executions,
    dynamodb: { operations: dynamo.counts, capacity: dynamo.capacity },
    s3: s3.counts,
  });
  const own = new Map([["/_local/counters", counters]]);
  const { host, port } = options;
  const gateway = await startGateway({ lambdas: loaded(), host, port, dashboard: laptop.dashboard, own });
  closers.push(gateway.close);
  closers.push(startSweep(loaded()));
  return {
    url: `${gateway.url}/v1`,
    folder,
    endpoints: {
      dynamodb: dynamo.url,
      s3: s3.url,
      stepfunctions: stepFunctions.url,
      model: model?.url ?? null,
    },
    model,
  };
}

async function dataFolder(
  data: string | null,
  closers: (() => Promise<void>)[] | (() => Promise<void> | void)[],
) {
  if (data !== null) {
    await ensureFolder(data);
    return data;
  }
  const folder = await mkdtemp(join(tmpdir(), "stepyard-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const startModel = (model: "offline" | Respond) =>
  startModelServer({ respond: model === "offline" ? offlineRespond : model });

type Addresses = {
  readonly dynamo: string;
  readonly s3: string;
  readonly keyFile: string;
  readonly model: { readonly openaiBaseUrl: string; readonly anthropicBaseUrl: string } | null;
};

/** What CloudFormation would set on the functions, and where the SDK's clients find the services. */
function setEnvironment({ dynamo, s3, keyFile, model }: Addresses): void {
  Object.assign(process.env, {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo,
    AWS_ENDPOINT_URL_S3: s3,
    [env.table]: TABLE,
    [env.bucket]: BUCKET,
    [env.stateMachine]: STATE_MACHINE,
    [env.keyFile]: keyFile,
    [env.operatorProject]: devKeys["dev-key"],
  });
  process.env[env.logLevel] ??= "warn";
  for (const inherited of ["AWS_PROFILE", "AWS_SESSION_TOKEN", env.kmsKey]) delete process.env[inherited];
  if (model === null) return;
  process.env[env.openaiBaseUrl] = model.openaiBaseUrl;
  process.env[env.anthropicBaseUrl] = model.anthropicBaseUrl;
}

async function createTable(definition: ReturnType<typeof tableDefinition>): Promise<void> {
  const client = new DynamoDBClient({});
  try {
    await client.send(new CreateTableCommand(definition)).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error;
    });
    const credentials = createCredentials({ client: DynamoDBDocumentClient.from(client), table: TABLE });
    for (const [key, project] of Object.entries(devKeys)) await credentials.put(key, project);
  } finally {
    client.destroy();
  }
}

function functionOf(functions: Readonly<Record<string, FunctionName>>, arn: string): FunctionName {
  const name = functions[arn];
  if (name === undefined)
    throw new Error(`the state machine calls ${arn}, which is no function of the stack`);
  return name;
}

/** The stack's EventBridge rule: an execution that ended badly is reported to `lost`. */
async function failedExecutionRule(lambdas: Lambdas, detail: StatusChange): Promise<void> {
  if (!["FAILED", "TIMED_OUT", "ABORTED"].includes(detail.status)) return;
  await lambdas.attempt("lost", {
    source: "aws.states",
    "detail-type": "Step Functions Execution Status Change",
    detail,
  });
}

/** The stack's schedule, and one look at everything as the host comes up. */
function startSweep(lambdas: Lambdas): () => void {
  void lambdas.attempt("sweep", { all: true });
  const timer = setInterval(() => void lambdas.attempt("sweep", {}), SWEEP_EVERY_MS);
  return () => clearInterval(timer);
}

function onEngineExit(): void {
  console.error("The DynamoDB engine ended unexpectedly. Start again; what was committed is kept.");
  process.exit(1);
}
