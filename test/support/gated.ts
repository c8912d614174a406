import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createCredentials } from "../../adapters/aws/credentials.ts";
import { ensureKeyFile } from "../../adapters/vault/key-file.ts";
import { env } from "../../contract/env.ts";
import { createWorld } from "../../functions/wiring.ts";
import { stateMachineDefinition, tableDefinition } from "../../lib/definition.ts";
import { synthesize } from "../../lib/synthesize.ts";
import { startDynamo } from "../../local/dynamodb/dynamo.ts";
import { startGateway } from "../../local/host/gateway.ts";
import { type Lambdas, loadLambdas } from "../../local/host/lambda.ts";
import { installAwslambda } from "../../local/host/response-stream.ts";
import { devKeys } from "../../local/host/stack.ts";
import type { Respond } from "../../local/model/reply.ts";
import { startModelServer } from "../../local/model/server.ts";
import { startS3 } from "../../local/s3/server.ts";
import { startStepFunctions } from "../../local/stepfunctions/index.ts";

const NAME = "stepyard";
const SECRET = "local";
const MACHINE = "arn:aws:states:us-east-1:000000000000:stateMachine:stepyard";

export type Gated = Awaited<ReturnType<typeof startGated>>;

/**
 * The stack in this process, with a gate before the turn engine: what a session is doing can be held as it is
 * for as long as a test looks at it. There is no stream consumer and no sweep, so that nothing else moves.
 */
export async function startGated(respond: Respond) {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await start(respond, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function start(respond: Respond, closers: (() => Promise<unknown>)[]) {
  const template = await synthesize();
  const folder = await mkdtemp(join(tmpdir(), "stepyard-gated-"));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const dynamo = await startDynamo({ onWrite: () => undefined });
  closers.push(dynamo.close);
  const s3 = await startS3({ directory: join(folder, "s3"), buckets: [NAME], secretAccessKey: SECRET });
  closers.push(s3.close);
  const model = await startModelServer({ respond });
  closers.push(model.close);
  const keyFile = join(folder, "secrets.key");
  await ensureKeyFile(keyFile);
  Object.assign(process.env, {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: SECRET,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    AWS_ENDPOINT_URL_S3: s3.url,
    [env.table]: NAME,
    [env.bucket]: NAME,
    [env.stateMachine]: MACHINE,
    [env.keyFile]: keyFile,
    [env.logLevel]: "warn",
    [env.openaiBaseUrl]: model.openaiBaseUrl,
    [env.anthropicBaseUrl]: model.anthropicBaseUrl,
  });
  await createTable(tableDefinition(template, NAME));
  installAwslambda();
  const lambdas = await loadLambdas();
  const gates = createGates();
  const { definition, functions } = stateMachineDefinition(template);
  const stepFunctions = await startStepFunctions({
    definition,
    stateMachineArn: MACHINE,
    invoke: async (arn, payload) => {
      const name = functions[arn];
      if (name === undefined) throw new Error(`the state machine calls ${arn}, which is no function`);
      if (name === "advance") await gates.pass(payload);
      return lambdas.attempt(name, payload);
    },
  });
  closers.push(stepFunctions.close);
  process.env["AWS_ENDPOINT_URL_SFN"] = stepFunctions.url;
  const gateway = await startGateway({
    lambdas,
    host: "127.0.0.1",
    port: 0,
    dashboard: "none",
    own: new Map(),
  });
  closers.push(gateway.close);
  return { url: `${gateway.url}/v1`, ...engineOf(lambdas, gates) };
}

function engineOf(lambdas: Lambdas, gates: ReturnType<typeof createGates>) {
  const { store } = createWorld();
  return {
    /** From now on, the session's run goes no further than it is under way. */
    hold: gates.hold,
    /** Lets it go on. */
    release: gates.release,
    /** Reports the execution of the session's run as lost. */
    lose: async (sessionId: string): Promise<void> => {
      const run = (await store.load(sessionId))?.state.run;
      if (run === undefined || run === null) throw new Error("there is no run to lose");
      await lambdas.invoke("lost", { sessionId, runId: run.id, leg: run.leg });
    },
    /** Whether the session's run has left a task token and waits. */
    isParked: async (sessionId: string): Promise<boolean> => {
      const run = (await store.load(sessionId))?.state.run;
      return run !== undefined && run !== null && run.parked !== null;
    },
    /** How often the session was written; what no client can see. */
    version: async (sessionId: string): Promise<number> => (await store.load(sessionId))?.version ?? 0,
  };
}

async function createTable(definition: ReturnType<typeof tableDefinition>): Promise<void> {
  const client = new DynamoDBClient({});
  await client.send(new CreateTableCommand(definition));
  const credentials = createCredentials({ client: DynamoDBDocumentClient.from(client), table: NAME });
  for (const [key, project] of Object.entries(devKeys)) await credentials.put(key, project);
  client.destroy();
}

function createGates() {
  const held = new Map<string, PromiseWithResolvers<void>>();
  const release = (sessionId: string) => {
    held.get(sessionId)?.resolve();
    held.delete(sessionId);
  };
  return {
    hold: (sessionId: string) => {
      if (!held.has(sessionId)) held.set(sessionId, Promise.withResolvers<void>());
    },
    release,
    pass: async (payload: unknown): Promise<void> => {
      if (typeof payload !== "object" || payload === null || !("sessionId" in payload)) return;
      await held.get(String(payload.sessionId))?.promise;
    },
  };
}
