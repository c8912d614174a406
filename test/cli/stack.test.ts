import { beforeEach, describe, expect, it } from "vitest";
import { closedPort, isOneLine, keys, serve } from "./command.ts";
import { credentials, isSigned } from "./signing.ts";

const lookups: { readonly action: string | null; readonly name: string | null; readonly signed: boolean }[] =
  [];
const asked: string[] = [];
const signedForApi: boolean[] = [];
let answer: (url: string) => { readonly status: number; readonly body: string };
beforeEach(() => {
  lookups.length = 0;
  asked.length = 0;
  signedForApi.length = 0;
  answer = () => ({ status: 200, body: described(output("OperatorUrl", `${api.url}/api/aws/v1`)) });
});

const api = await serve(async (request, body, response) => {
  asked.push(`${request.method} ${request.url}`);
  signedForApi.push(await isSigned(request, body, { region: "us-east-1", service: "execute-api" }));
  response.end(JSON.stringify({ data: [], next_cursor: null }));
});
const cloudFormation = await serve(async (request, body, response) => {
  const form = new URLSearchParams(body);
  const signed = await isSigned(request, body, { region: "us-east-1", service: "cloudformation" });
  lookups.push({ action: form.get("Action"), name: form.get("StackName"), signed });
  const { status, body: text } = answer(api.url);
  response.writeHead(status, { "content-type": "text/xml" }).end(text);
});

const output = (name: string, value: string) =>
  `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`;
const described = (outputs: string, status = "CREATE_COMPLETE") =>
  `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member>
    <StackName>a</StackName><CreationTime>2026-12-01T12:00:00.000Z</CreationTime><StackStatus>${status}</StackStatus>
    <Outputs>${output("BaseUrl", "https://a.example/api/v1")}${outputs}</Outputs>
  </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`;
const refused = (code: string, message: string) =>
  `<ErrorResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`;

const variables = {
  ...credentials,
  AWS_REGION: "us-east-1",
  AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
};
const list = (...args: readonly string[]) => keys(["list", "--json", ...args], variables);

describe("a stack", () => {
  it("is the one that cdk deploy makes unless another is named, and its OperatorUrl is asked", async () => {
    expect(await list()).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(lookups).toEqual([{ action: "DescribeStacks", name: "stepyard", signed: true }]);
    expect(asked).toEqual(["GET /api/aws/v1/api-keys?limit=100"]);
    expect(signedForApi).toEqual([true]);
  });

  it("is found by --stack", async () => {
    expect((await list("--stack", "agents-test")).code).toBe(0);
    expect(lookups.map(({ name }) => name)).toEqual(["agents-test"]);
  });

  it("is not looked up with --url, which excludes --stack", async () => {
    expect((await list("--url", `${api.url}/aws/v1`)).code).toBe(0);
    expect(lookups).toEqual([]);
    const both = await list("--url", `${api.url}/aws/v1`, "--stack", "agents");
    expect(both.code).toBe(2);
    expect(both.stderr).toContain("--stack");
  });
});

describe("what goes wrong with a stack", () => {
  const failing = async (status: number, body: string) => {
    answer = () => ({ status, body });
    const ended = await list("--stack", "agents");
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(asked).toEqual([]);
    return ended.stderr;
  };

  it.each([
    [
      "there is none",
      refused("ValidationError", "Stack with id agents does not exist"),
      "There is no stack agents in us-east-1. Deploy it",
    ],
    [
      "IAM forbids the look",
      refused("AccessDenied", "User: arn is not authorized to perform: cloudformation:DescribeStacks"),
      "cloudformation:DescribeStacks on agents",
    ],
    ["the credentials have expired", refused("ExpiredToken", "The token is expired"), "Renew them"],
    ["the key is unknown", refused("InvalidClientTokenId", "The token is invalid"), "Renew them"],
    ["AWS says something else", refused("Strange", "It is Monday"), "Strange: It is Monday"],
  ])("is told in one line when %s", async (_, body, words) => {
    expect(await failing(400, body)).toContain(words);
  });

  it("is told in one line when the stack has no OperatorUrl, as long as it is created", async () => {
    const words = await failing(200, described("", "CREATE_IN_PROGRESS"));
    expect(words).toContain("no output OperatorUrl (its status is CREATE_IN_PROGRESS)");
  });

  it("is told in one line when CloudFormation cannot be reached", async () => {
    const nobody = `http://127.0.0.1:${await closedPort()}`;
    const ended = await keys(["list"], { ...variables, AWS_ENDPOINT_URL_CLOUDFORMATION: nobody });
    expect(ended.code).toBe(1);
    expect(isOneLine(ended)).toBe(true);
    expect(ended.stderr).toContain("cannot be reached");
  });

  it("is told in one line without credentials or region", async () => {
    const { AWS_REGION: _, ...withoutRegion } = variables;
    const region = await keys(["list"], withoutRegion);
    const { AWS_ACCESS_KEY_ID: __, AWS_SECRET_ACCESS_KEY: ___, ...withoutKey } = variables;
    const key = await keys(["list"], withoutKey);
    expect([region.code, key.code, isOneLine(region), isOneLine(key)]).toEqual([1, 1, true, true]);
    expect(region.stderr).toContain("No AWS region is set");
    expect(key.stderr).toContain("No AWS credentials were found");
  });
});
