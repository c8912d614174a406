import { CfnOutput, type Stack } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { FunctionName } from "../contract/env.ts";

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** A name that an operator can read off the deployed stack. */
export const addOutput = (stack: Stack, name: string, value: string, description: string): void => {
  new CfnOutput(stack, name, { value, description });
};

/** The names of the functions, as `<Name>Function`. Each knows its own log group. */
export const addFunctionOutputs = (
  stack: Stack,
  functions: Readonly<Record<FunctionName, LambdaFunction>>,
): void => {
  for (const [name, fn] of Object.entries(functions))
    addOutput(stack, `${capitalized(name)}Function`, fn.functionName, fn.node.path);
};
