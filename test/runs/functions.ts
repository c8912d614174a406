import { randomUUID } from "node:crypto";
import { vi } from "vitest";
import { z } from "zod";
import { env, type FunctionName } from "../../contract/env.ts";
import type { Laptop } from "../support/laptop.ts";
import { stateMachineArn } from "./history.ts";

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
const Module = z.object({ handler: z.custom<Handler>((value) => typeof value === "function") });

/** Nothing listens there. */
export const nowhere = "http://127.0.0.1:1";

/**
 * One function of the stack in this process, working on the stack's own services as another instance of it.
 * `stepFunctions` is where it looks for those, so that a test can keep it from reaching them.
 */
export async function loadFunction(
  { endpoints }: Laptop,
  name: FunctionName,
  stepFunctions: string = endpoints.stepfunctions,
): Promise<(event: unknown) => Promise<unknown>> {
  vi.resetModules();
  Object.assign(process.env, {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_SFN: stepFunctions,
    [env.table]: "stepyard",
    [env.bucket]: "stepyard",
    [env.stateMachine]: stateMachineArn,
    [env.logLevel]: "warn",
  });
  const { handler } = Module.parse(await import(`../../functions/${name}.ts`));
  return (event) => handler(event, { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 900_000 });
}

/** A request as API Gateway hands it to the `api` function. */
export const proxyEvent = (method: string, path: string, body: object) => ({
  httpMethod: method,
  path: `/v1${path}`,
  headers: { authorization: "Bearer dev-key", "content-type": "application/json" },
  multiValueQueryStringParameters: {},
  body: JSON.stringify(body),
  isBase64Encoded: false,
  requestContext: { requestId: randomUUID(), path: `/v1${path}`, identity: { userArn: null } },
});
