import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { Agent } from "../../contract/schemas/agents.ts";
import { CreatedApiKey } from "../../contract/schemas/api-keys.ts";
import { ErrorEnvelope } from "../../contract/schemas/common.ts";
import { backend } from "../support/api.ts";
import { account, region } from "./emulator.ts";
import { type AwsKey, sendSigned } from "./signed.ts";

const Place = z.object({
  STEPYARD_TEST_OPERATOR_URL: z.url(),
  STEPYARD_TEST_API_ID: z.string(),
  STEPYARD_TEST_KEY_OPERATED: z.string(),
  AWS_ENDPOINT_URL: z.url(),
});
const place = Place.safeParse(process.env).data;
const command = fileURLToPath(new URL("../../cli/stepyard.js", import.meta.url));
const names = new URL("./localhost-names.ts", import.meta.url).href;

describe.skipIf(place === undefined)("an operator with AWS credentials", () => {
  const at = place ?? {
    STEPYARD_TEST_OPERATOR_URL: "",
    STEPYARD_TEST_API_ID: "",
    STEPYARD_TEST_KEY_OPERATED: "",
    AWS_ENDPOINT_URL: "",
  };
  const root = { accessKeyId: "test", secretAccessKey: "test" };
  let operator: AwsKey;
  let stranger: AwsKey;
  let keeper: AwsKey;

  /** A call of IAM, whose answers are XML. */
  const iam = async (action: string, parameters: Readonly<Record<string, string>>): Promise<string> => {
    const body = String(new URLSearchParams({ Action: action, Version: "2010-05-08", ...parameters }));
    const contentType = "application/x-www-form-urlencoded";
    const url = `${at.AWS_ENDPOINT_URL}/`;
    const answer = await sendSigned({ key: root, service: "iam", method: "POST", url, contentType, body });
    if (answer.status !== 200) throw new Error(`${action}: ${answer.status} ${answer.text}`);
    return answer.text;
  };
  const createUser = async (UserName: string): Promise<AwsKey> => {
    await iam("CreateUser", { UserName });
    const created = await iam("CreateAccessKey", { UserName });
    const [, accessKeyId = ""] = /<AccessKeyId>(.+)<\/AccessKeyId>/.exec(created) ?? [];
    const [, secretAccessKey = ""] = /<SecretAccessKey>(.+)<\/SecretAccessKey>/.exec(created) ?? [];
    return { accessKeyId, secretAccessKey };
  };
  const call = (key: AwsKey, method: "GET" | "POST", body?: object) =>
    sendSigned({
      key,
      service: "execute-api",
      method,
      url: `${at.STEPYARD_TEST_OPERATOR_URL}/agents`,
      // The name that the emulator knows a stage by; a path is signed as the stage's own host has it.
      host: `${at.STEPYARD_TEST_API_ID}.execute-api.127.0.0.1`,
      ...(body === undefined ? {} : { body: JSON.stringify(body), contentType: "application/json" }),
    });
  const codeOf = (text: string) => ErrorEnvelope.parse(JSON.parse(text)).error.code;

  const allow = (UserName: string, resource: string) => {
    const stage = `arn:aws:execute-api:${region}:${account}:${at.STEPYARD_TEST_API_ID}/api`;
    const statement = { Effect: "Allow", Action: "execute-api:Invoke", Resource: `${stage}/${resource}` };
    const PolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
    return iam("PutUserPolicy", { UserName, PolicyName: "invoke", PolicyDocument });
  };
  /** The stack's own command, at the stage's host name. */
  const stepyard = async (key: AwsKey, ...args: readonly string[]): Promise<string> => {
    const url = new URL(at.STEPYARD_TEST_OPERATOR_URL);
    url.hostname = `${at.STEPYARD_TEST_API_ID}.execute-api.localhost`;
    const env = {
      ...process.env,
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
      NODE_OPTIONS: `--import=${names}`,
    };
    const all = [command, ...args, "--url", url.href];
    return (await promisify(execFile)(process.execPath, all, { env })).stdout;
  };

  beforeAll(async () => {
    operator = await createUser("operator");
    stranger = await createUser("stranger");
    keeper = await createUser("keeper");
    await allow("operator", "GET/aws/v1/*");
    await allow("keeper", "*/aws/v1/api-keys*");
  });

  it("reads the agents of the operators' project, and of no other", async () => {
    const project = backend(
      at.STEPYARD_TEST_OPERATOR_URL.replace("/aws/", "/"),
      at.STEPYARD_TEST_KEY_OPERATED,
    );
    const key = await project.createKey();
    const config = { model: "openai/gpt-6.1-sol", model_api_key_id: key.id, instructions: "Help." };
    const agent = await project.createAgent(config, "of the operators");
    const answer = await call(operator, "GET");
    expect(answer.status, answer.text).toBe(200);
    const { data } = z.object({ data: z.array(Agent) }).parse(JSON.parse(answer.text));
    expect(data.map(({ id }) => id)).toEqual([agent.id]);
  });

  it("is refused in the API's envelope with a signature that does not fit", async () => {
    const forged = await call({ ...operator, secretAccessKey: "x".repeat(40) }, "GET");
    expect([forged.status, codeOf(forged.text)]).toEqual([401, "unauthorized"]);
  });

  it("is told that nothing is there, in the API's envelope, without a signature", async () => {
    const answer = await fetch(`${at.STEPYARD_TEST_OPERATOR_URL}/agents`);
    expect([answer.status, codeOf(await answer.text())]).toEqual([404, "not_found"]);
  });

  it("creates and deletes a project's key by command", async () => {
    const created = await stepyard(keeper, "keys", "create", "--name", "by command", "--json");
    const key = CreatedApiKey.parse(JSON.parse(created));
    const project = backend(at.STEPYARD_TEST_OPERATOR_URL.replace("/aws/", "/"), key.secret);
    expect((await project.send("GET", "/agents")).status).toBe(200);
    expect((await project.send("GET", "/api-keys")).status).toBe(403);
    expect(await stepyard(keeper, "keys", "list")).toContain(`${key.id}  by command`);
    await stepyard(keeper, "keys", "delete", key.id);
    expect((await project.send("GET", "/agents")).status).toBe(401);
    await expect(stepyard(stranger, "keys", "list")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("execute-api:Invoke"),
    });
  });

  it("is refused what IAM does not allow", async () => {
    expect((await call(stranger, "GET")).status).toBe(403);
    expect((await call(operator, "POST", {})).status).toBe(403);
  });
});
