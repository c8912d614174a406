import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStacksCommand,
} from "@aws-sdk/client-cloudformation";
import { fromIni } from "@aws-sdk/credential-provider-ini";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { noCredentials, noStack } from "./aws-failure.ts";
import { described, Failure } from "./failure.ts";
import type { Options } from "./options.ts";
import type { Outgoing, Target } from "./target.ts";

/** CloudFormation answers within a second; with three attempts a command ends in half a minute. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 10_000;

/**
 * A stack on AWS, by its name or its OperatorUrl. Requests are signed with the credentials of the profile that is
 * named, and of no other source, or else by the default chain.
 */
export async function onAws(options: Options): Promise<Target> {
  const client = new CloudFormationClient(configOf(options));
  try {
    const credentials = await credentialsOf(client, options.profile);
    const url = options.url ?? (await operatorUrl(client, options.stack));
    const region = /\.execute-api\.([a-z0-9-]+)\.amazonaws\./.exec(url)?.[1] ?? (await regionOf(client));
    return {
      url,
      baseUrl: url.replace(/\/aws\/v1$/, "/v1"),
      authorize: (request) => sign(credentials, region, request),
      advice: {
        unreachable: "Check --url, --stack and --region, and your connection.",
        unauthorized: "Renew the AWS credentials; aws sts get-caller-identity shows whose they are.",
        forbidden: `Allow these credentials execute-api:Invoke on ${resource(url)}, or use others with --profile.`,
      },
    };
  } finally {
    client.destroy();
  }
}

function configOf({ region, profile }: Options): CloudFormationClientConfig {
  const chosen = region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"];
  const ofRegion = chosen === undefined || chosen === "" ? {} : { region: chosen };
  const requestHandler = {
    connectionTimeout: CONNECT_MS,
    requestTimeout: ANSWER_MS,
    throwOnRequestTimeout: true,
  };
  const shared = { ...ofRegion, requestHandler, maxAttempts: 3 };
  const clientConfig = ofRegion;
  if (profile === undefined) return { ...shared, credentials: defaultProvider({ clientConfig }) };
  return { ...shared, profile, credentials: fromIni({ profile, clientConfig }) };
}

/** The client keeps them for requests of its own. */
async function credentialsOf(client: CloudFormationClient, profile: string | undefined) {
  return client.config.credentials().catch((error: unknown) => {
    throw noCredentials(error, profile);
  });
}

async function operatorUrl(client: CloudFormationClient, stack: string): Promise<string> {
  const region = await regionOf(client);
  const { Stacks: [found] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error: unknown) => {
      throw noStack(error, { stack, region });
    });
  const output = found?.Outputs?.find(({ OutputKey }) => OutputKey === "OperatorUrl")?.OutputValue;
  if (output !== undefined) return output;
  const status = found?.StackStatus ?? "unknown";
  throw new Failure(
    `The stack ${stack} in ${region} has no output OperatorUrl (its status is ${status}). Deploy it with npx cdk deploy, or name another with --stack.`,
  );
}

async function regionOf(client: CloudFormationClient): Promise<string> {
  try {
    return await client.config.region();
  } catch (error) {
    const { message } = described(error);
    const what = message.includes("missing") ? "No AWS region is set" : `The AWS region is none (${message})`;
    throw new Failure(`${what}. Give it with --region, or set AWS_REGION.`);
  }
}

async function sign(
  credentials: Awaited<ReturnType<typeof credentialsOf>>,
  region: string,
  request: Outgoing,
) {
  const { method, url, headers, body } = request;
  const signer = new SignatureV4({ credentials, region, service: "execute-api", sha256: Sha256 });
  const signed = await signer.sign({
    method,
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: { ...headers, host: url.host },
    ...(body === undefined ? {} : { body }),
  });
  // The client names the host by itself, as it was signed.
  const { host: _, ...rest } = signed.headers;
  return rest;
}

/** What a policy names. */
function resource(url: string): string {
  const { hostname, pathname } = new URL(url);
  const [api = "", service] = hostname.split(".");
  const stage = pathname.split("/")[1] ?? "";
  return service === "execute-api" ? `arn:aws:execute-api:*:*:${api}/${stage}/*/aws/v1/api-keys*` : "the API";
}
