import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStacksCommand,
} from "@aws-sdk/client-cloudformation";
import { defaultProvider } from "@aws-sdk/credential-provider-node";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { awsFailure } from "./aws-failure.ts";
import { Failure } from "./failure.ts";
import type { Options } from "./options.ts";
import type { Outgoing, Target } from "./target.ts";

/** A stack on AWS, by its name or its OperatorUrl. Requests are signed by the default chain of credentials. */
export async function onAws(options: Options): Promise<Target> {
  const client = new CloudFormationClient(configOf(options));
  try {
    const url = options.url ?? (await operatorUrl(client, options.stack));
    const region = /\.execute-api\.([a-z0-9-]+)\.amazonaws\./.exec(url)?.[1] ?? (await regionOf(client));
    return {
      url,
      baseUrl: url.replace(/\/aws\/v1$/, "/v1"),
      authorize: (request) => sign(client, region, request),
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
  const ofProfile = profile === undefined ? {} : { profile };
  const credentials = defaultProvider({ ...ofProfile, clientConfig: ofRegion });
  return { ...ofRegion, ...ofProfile, credentials, maxAttempts: 3 };
}

async function operatorUrl(client: CloudFormationClient, stack: string): Promise<string> {
  const region = await regionOf(client);
  const { Stacks: [found] = [] } = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error: unknown) => {
      throw awsFailure(error, { stack, region });
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
  } catch {
    throw new Failure("No AWS region is set. Give it with --region, or set AWS_REGION.");
  }
}

async function sign(client: CloudFormationClient, region: string, request: Outgoing) {
  const { method, url, headers, body } = request;
  const credentials = await client.config.credentials().catch((error: unknown) => {
    throw awsFailure(error, { stack: "", region });
  });
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
