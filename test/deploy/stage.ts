import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createCredentials } from "../../adapters/aws/credentials.ts";
import type { Outputs } from "./cdk.ts";
import { type Emulator, region } from "./emulator.ts";
import { type Front, startFront } from "./front.ts";

/** The project that operators act for where no setting names another. */
const operated = "prj_default";

export type Stage = Pick<Front, "close"> & {
  /** Ends in `/v1`. */
  readonly url: string;
  /** A key of a project. */
  readonly key: string;
  /** What tests have to know of the stack, for their process. */
  readonly env: NodeJS.ProcessEnv;
};

/** Makes a deployed stack's API reachable, with keys of three projects. */
export async function openStage(outputs: Outputs, emulator: Emulator): Promise<Stage> {
  const [apiId = ""] = new URL(outputs.BaseUrl).hostname.split(".");
  const [, name = ""] = new URL(outputs.BaseUrl).pathname.split("/");
  const front = await startFront({ url: emulator.url, apiId, name });
  try {
    const [key = "", other, third] = await createKeys(outputs, emulator, [
      "prj_deployed",
      "prj_other",
      operated,
    ]);
    const env = {
      ...emulator.env,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      STEPYARD_TEST_URL: `${front.url}/v1`,
      STEPYARD_TEST_KEY: key,
      STEPYARD_TEST_KEY_OTHER: other,
      STEPYARD_TEST_KEY_OPERATED: third,
      STEPYARD_TEST_OPERATOR_URL: `${front.url}/aws/v1`,
      STEPYARD_TEST_API_ID: apiId,
      STEPYARD_TEST_TABLE: outputs.TableName,
      STEPYARD_TEST_BUCKET: outputs.BucketName,
      STEPYARD_TEST_STATE_MACHINE: outputs.StateMachineArn,
      STEPYARD_TEST_WORKERS: emulator.workers,
    };
    return { url: `${front.url}/v1`, key, env, close: front.close };
  } catch (error) {
    await front.close();
    throw error;
  }
}

/** A key for each project, written as the stack's own adapter writes them. */
async function createKeys({ TableName }: Outputs, { url }: Emulator, projects: readonly string[]) {
  const client = new DynamoDBClient({
    endpoint: url,
    region,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const credentials = createCredentials({ client: DynamoDBDocumentClient.from(client), table: TableName });
  const keys: string[] = [];
  for (const project of projects) {
    const secret = randomBytes(16).toString("hex");
    await credentials.put(secret, project);
    keys.push(secret);
  }
  client.destroy();
  return keys;
}
