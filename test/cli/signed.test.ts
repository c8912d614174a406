import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { errorBody } from "../../contract/errors.ts";
import { closedPort, home, isOneLine, keys, serve, type Variables } from "./command.ts";
import { credentials, isSigned, key, type Scope } from "./signing.ts";

const created = {
  id: "key_01",
  name: "backend",
  prefix: "stepyard_00000000",
  created_at: "2026-12-01T12:00:00.000Z",
};
const secret = `stepyard_00000000${"f".repeat(64)}`;

type Seen = {
  readonly line: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly signed: boolean;
};
let seen: Seen[] = [];
let scope: Scope = { region: "eu-west-1", service: "execute-api" };
beforeEach(() => {
  seen = [];
  scope = { region: "eu-west-1", service: "execute-api" };
});

const api = await serve(async (request, body, response) => {
  const { method = "", url = "", headers } = request;
  seen.push({ line: `${method} ${url}`, headers, signed: await isSigned(request, body, scope) });
  const answer = {
    GET: [200, { data: [created], next_cursor: url.includes("cursor=") ? null : "a+b/c=" }],
    POST: [201, { ...created, secret }],
    DELETE: [204, null],
  }[method] ?? [500, null];
  response.writeHead(Number(answer[0])).end(answer[1] === null ? "" : JSON.stringify(answer[1]));
});
const url = `${api.url}/api/aws/v1`;
const region = { AWS_REGION: "eu-west-1" };

describe("a request to OperatorUrl", () => {
  it("is signed, body included, and nothing of the signer's secret is sent or printed", async () => {
    const ended = await keys(["create", "--name", "backend", "--url", url], { ...credentials, ...region });
    expect(ended.code).toBe(0);
    expect(ended.stdout).toBe(`${secret}\n`);
    expect(ended.stderr).toContain(`curl -sS ${api.url}/api/v1/agents`);
    expect(seen).toMatchObject([{ line: "POST /api/aws/v1/api-keys", signed: true }]);
    expect(JSON.stringify([seen, ended])).not.toContain(key.secretAccessKey);
  });

  it("is signed with its query, on every page", async () => {
    const { code, stdout } = await keys(["list", "--json", "--url", `${url}/`], {
      ...credentials,
      ...region,
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, [created, created]]);
    expect(seen).toMatchObject([
      { line: "GET /api/aws/v1/api-keys?limit=100", signed: true },
      { line: "GET /api/aws/v1/api-keys?limit=100&cursor=a%2Bb%2Fc%3D", signed: true },
    ]);
  });

  it("is signed without a body", async () => {
    expect((await keys(["delete", "key_01", "--url", url], { ...credentials, ...region })).code).toBe(0);
    expect(seen).toMatchObject([{ line: "DELETE /api/aws/v1/api-keys/key_01", signed: true }]);
  });

  it("carries the token of temporary credentials, signed", async () => {
    scope = { ...scope, sessionToken: "a-token" };
    const temporary = { ...credentials, ...region, AWS_SESSION_TOKEN: "a-token" };
    expect((await keys(["list", "--url", url], temporary)).code).toBe(0);
    expect(seen[0]).toMatchObject({ signed: true, headers: { "x-amz-security-token": "a-token" } });
  });

  it.each<[string, readonly string[], Variables]>([
    ["--region", ["--region", "eu-west-1"], { AWS_REGION: "us-east-1" }],
    ["AWS_REGION", [], { AWS_REGION: "eu-west-1", AWS_DEFAULT_REGION: "us-east-1" }],
    ["AWS_DEFAULT_REGION", [], { AWS_DEFAULT_REGION: "eu-west-1" }],
  ])("is signed for the region of %s", async (_, args, variables) => {
    expect((await keys(["list", "--url", url, ...args], { ...credentials, ...variables })).code).toBe(0);
    expect(seen.map(({ signed }) => signed)).toEqual([true, true]);
  });

  it.each<[string, readonly string[], Variables]>([
    ["--profile", ["--profile", "operators"], {}],
    ["AWS_PROFILE", [], { AWS_PROFILE: "operators" }],
  ])("is signed with key and region of the profile in %s", async (_, args, variables) => {
    await mkdir(join(home, ".aws"), { recursive: true });
    const { accessKeyId, secretAccessKey } = key;
    const lines = [`aws_access_key_id=${accessKeyId}`, `aws_secret_access_key=${secretAccessKey}`];
    await writeFile(join(home, ".aws/credentials"), ["[operators]", ...lines, ""].join("\n"));
    await writeFile(join(home, ".aws/config"), "[profile operators]\nregion=eu-west-1\n");
    expect((await keys(["list", "--url", url, ...args], variables)).code).toBe(0);
    expect(seen.map(({ signed }) => signed)).toEqual([true, true]);
  });

  it("is found out when the signature is of another secret or region", async () => {
    const other = { ...credentials, AWS_SECRET_ACCESS_KEY: "another", ...region };
    await keys(["list", "--url", url], other);
    await keys(["list", "--url", url], { ...credentials, AWS_REGION: "us-east-1" });
    expect(seen.map(({ signed }) => signed)).toEqual([false, false, false, false]);
  });
});

describe("what goes wrong", () => {
  const refuse = async (status: number, body: string) => {
    const { url } = await serve((_, __, response) => response.writeHead(status).end(body));
    return keys(["list", "--url", `${url}/api/aws/v1`], { ...credentials, ...region });
  };
  const envelope = (code: Parameters<typeof errorBody>[0]) => JSON.stringify(errorBody(code, "", "req-1"));

  it.each([
    ["IAM forbids it", 403, envelope("forbidden"), "execute-api:Invoke"],
    ["IAM forbids it in other words", 403, '{"Message":"User: arn is not authorized"}', "execute-api:Invoke"],
    ["the signature is refused", 401, envelope("unauthorized"), "aws sts get-caller-identity"],
    ["an older version is deployed", 404, envelope("not_found"), "deploy this version"],
    ["the address is another service's", 200, "<html></html>", "none of Stepyard's"],
    ["the stack fails", 500, envelope("internal_error"), "request req-1"],
    ["the stack is busy", 429, envelope("rate_limited"), "try again"],
  ])("is told in one line when %s", async (_, status, body, words) => {
    const ended = await refuse(status, body);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain(words);
  });

  it("is told in one line when nobody answers", async () => {
    const address = `http://127.0.0.1:${await closedPort()}/aws/v1`;
    const ended = await keys(["list", "--url", address], { ...credentials, ...region });
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("Check --url");
  });

  it("is told in one line without credentials, and nothing is sent", async () => {
    const ended = await keys(["list", "--url", url], region);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("No AWS credentials were found");
    expect(seen).toEqual([]);
  });

  it("is told in one line when there is no such profile", async () => {
    const ended = await keys(["list", "--url", url, "--profile", "nobody"], region);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("pass --profile");
  });

  it("is told in one line without a region", async () => {
    const ended = await keys(["list", "--url", url], credentials);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("--region");
  });

  it.each([
    "not an address",
    "http://stepyard.example/api/aws/v1",
    "https://user:word@stepyard.example/api/aws/v1",
    "https://stepyard.example/api/v1",
    "https://stepyard.example/api/aws/v1?a=b",
    "ftp://127.0.0.1/aws/v1",
  ])("is a usage error with the address %s", async (address) => {
    const { code, stderr } = await keys(["list", "--url", address], { ...credentials, ...region });
    expect(code).toBe(2);
    expect(stderr).toContain("OperatorUrl");
  });
});
