import { described, Failure } from "./failure.ts";

const refused = [
  "ExpiredToken",
  "ExpiredTokenException",
  "InvalidClientTokenId",
  "UnrecognizedClientException",
  "SignatureDoesNotMatch",
  "IncompleteSignature",
];
const denied = ["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"];

/** Why there is nothing to sign with. `profile` is the one that the command line names. */
export function noCredentials(error: unknown, profile: string | undefined): Failure {
  const { message } = described(error);
  const text =
    profile === undefined
      ? `No AWS credentials were found (${message}). Set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or pass --profile; --local needs none.`
      : `The AWS profile ${profile} gives no credentials (${message}). Log in with it, or name another; aws configure list-profiles shows them.`;
  return new Failure(text, { cause: error });
}

type Place = { readonly stack: string; readonly region: string };

/** Why CloudFormation did not tell about a stack. */
export function noStack(error: unknown, at: Place): Failure {
  const { name, message } = described(error);
  return new Failure(textOf(name, message, at), { cause: error });
}

function textOf(name: string, message: string, { stack, region }: Place): string {
  if (name === "ValidationError" && message.includes("does not exist"))
    return `There is no stack ${stack} in ${region}. Deploy it with npx cdk deploy, or name another with --stack and --region.`;
  if (denied.includes(name))
    return `IAM does not allow these credentials cloudformation:DescribeStacks on ${stack}. Allow it, use others with --profile, or give the address with --url.`;
  if (refused.includes(name))
    return `AWS did not accept the credentials (${name}). Renew them; aws sts get-caller-identity shows whose they are.`;
  if (name === "TimeoutError" || /ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ECONNRESET/.test(message))
    return `CloudFormation in ${region} cannot be reached (${message}). Check --region and your connection.`;
  return `CloudFormation in ${region} could not tell about ${stack}: ${name}: ${message}`;
}
