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

/** Puts the key into the profile `operators`. */
async function saveProfile(): Promise<void> {
  await mkdir(join(home, ".aws"), { recursive: true });
  const { accessKeyId, secretAccessKey } = key;
  const lines = [`aws_access_key_id=${accessKeyId}`, `aws_secret_access_key=${secretAccessKey}`];
  await writeFile(join(home, ".aws/credentials"), ["[operators]", ...lines, ""].join("\n"));
  const role = "role_arn=arn:aws:iam::000000000000:role/keeper";
  const profiles = ["[profile operators]", "region=eu-west-1"];
  const assumed = ["[profile keeper]", "region=eu-west-1", role, "source_profile=operators"];
  await writeFile(join(home, ".aws/config"), [...profiles, ...assumed, ""].join("\n"));
}

/** STS, with one answer for all; the variables that lead there. */
async function serveRole(status: number, body: string): Promise<Variables> {
  const sts = await serve((_, __, response) =>
    response.writeHead(status, { "content-type": "text/xml" }).end(body),
  );
  return { AWS_ENDPOINT_URL_STS: sts.url };
}

const roleOf = ({ accessKeyId, secretAccessKey }: typeof key): string =>
  `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
    <AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>
    <SessionToken>a-token</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration>
  </Credentials></AssumeRoleResult></AssumeRoleResponse>`;

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
    await saveProfile();
    expect((await keys(["list", "--url", url, ...args], variables)).code).toBe(0);
    expect(seen.map(({ signed }) => signed)).toEqual([true, true]);
  });

  it("is signed with the named profile's key, whatever else the environment offers", async () => {
    await saveProfile();
    const others = { AWS_ACCESS_KEY_ID: "AKIDOTHER", AWS_SECRET_ACCESS_KEY: "another" };
    const ended = await keys(["list", "--json", "--url", url, "--profile", "operators"], others);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(seen.map(({ signed }) => signed)).toEqual([true, true]);
  });

  it("is not sent with what else the environment offers when the named profile has nothing", async () => {
    let asked = 0;
    const machine = await serve((_, __, response) => {
      asked += 1;
      const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey } = key;
      response.end(
        JSON.stringify({
          AccessKeyId,
          SecretAccessKey,
          Token: "a-token",
          Expiration: "2999-01-01T00:00:00Z",
        }),
      );
    });
    const container = { ...region, AWS_CONTAINER_CREDENTIALS_FULL_URI: `${machine.url}/role` };
    expect((await keys(["list", "--url", url], container)).code).toBe(0);
    expect([seen.length, asked]).toEqual([2, 1]);
    expect((await keys(["list", "--url", url, "--profile", "nobody"], container)).code).toBe(1);
    expect([seen.length, asked]).toEqual([2, 1]);
  });

  it("is signed in the role that the named profile assumes", async () => {
    await saveProfile();
    scope = { ...scope, sessionToken: "a-token" };
    const sts = await serveRole(200, roleOf(key));
    const ended = await keys(["list", "--json", "--url", url, "--profile", "keeper"], sts);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
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
    expect(ended.stderr).toContain("The AWS profile nobody gives no credentials");
    expect(seen).toEqual([]);
  });

  it("is told in one line when the profile's own program fails", async () => {
    await mkdir(join(home, ".aws"), { recursive: true });
    await writeFile(join(home, ".aws/config"), "[profile failing]\ncredential_process=exit 1\n");
    const ended = await keys(["list", "--url", url, "--profile", "failing"], region);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("The AWS profile failing gives no credentials");
  });

  it("is told in one line when the profile may not assume its role", async () => {
    await saveProfile();
    const denied = "<Code>AccessDenied</Code><Message>not authorized to perform: sts:AssumeRole</Message>";
    const sts = await serveRole(403, `<ErrorResponse><Error>${denied}</Error></ErrorResponse>`);
    const ended = await keys(["list", "--profile", "keeper"], sts);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain(
      "The AWS profile keeper gives no credentials (not authorized to perform: sts:AssumeRole)",
    );
  });

  it("is told in one line when the region is none", async () => {
    const ended = await keys(["list", "--url", url, "--region", "not a region"], credentials);
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("The AWS region is none");
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
