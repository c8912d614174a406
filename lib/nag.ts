import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Accepts one AwsSolutions rule on a construct and its children. The reason is for the reader of the report. */
export const accept = (scope: IConstruct, rule: string, reason: string): void =>
  Validations.of(scope).acknowledge({ id: `AwsSolutions-${rule}`, reason });

/** Accepts one wildcard, spelled as the rule reports it (`Resource::*`, `Resource::<LogicalId.Arn>/path/*`). */
export const acceptWildcard = (scope: IConstruct, finding: string, reason: string): void =>
  accept(scope, `IAM5[${finding}]`, reason);
