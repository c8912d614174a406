import { type Duration, RemovalPolicy } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import {
  Architecture,
  CfnFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { env, type FunctionName } from "../contract/env.ts";
import { functionCode } from "./bundle.ts";
import { functionMetadata } from "./definition.ts";
import type { Settings } from "./settings.ts";

export type HandlerProps = {
  readonly description: string;
  /** MB. CPU grows with it: 1,769 MB are one core. */
  readonly memorySize: number;
  readonly timeout: Duration;
  readonly settings: Settings;
};

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/**
 * The Lambda function of `functions/<name>.ts` with what all of them share: runtime, architecture,
 * bundle, logs with an end. Its role may write to its own log group and nothing else; what it may touch
 * beyond that is bound by the construct that owns it (`table.bind(fn, "read")`). It writes no traces:
 * API Gateway and Step Functions trace each invocation, and its own would take a permission on everything.
 */
export const handler = (scope: Construct, name: FunctionName, props: HandlerProps): LambdaFunction => {
  const id = capitalized(name);
  const logGroup = new LogGroup(scope, `${id}Logs`, {
    retention: props.settings.logRetentionDays,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
  logGroup.grantWrite(role);
  const fn = new LambdaFunction(scope, id, {
    description: props.description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: "index.handler",
    code: functionCode(name),
    memorySize: props.memorySize,
    timeout: props.timeout,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    environment: { NODE_OPTIONS: "--enable-source-maps", [env.logLevel]: props.settings.logLevel },
  });
  if (fn.node.defaultChild instanceof CfnFunction) fn.node.defaultChild.addMetadata(functionMetadata, name);
  return fn;
};

/** Adds exactly these actions on exactly these resources to a function's role. */
export const allow = (fn: LambdaFunction, actions: readonly string[], resources: readonly string[]): void =>
  fn.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
