import { Key } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../contract/env.ts";
import { allow } from "./function.ts";
import { removalPolicy } from "./removal.ts";
import type { Settings } from "./settings.ts";

/** The key that seals model keys and MCP headers. Who takes secrets in cannot read them back. */
export class Vault extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.key = new Key(this, "Key", {
      description: "Seals model keys and MCP headers",
      enableKeyRotation: true,
      removalPolicy: removalPolicy(settings),
    });
  }

  /** Lets the function seal: a fresh data key for each secret. */
  bindSeal(fn: LambdaFunction): void {
    this.bind(fn, "kms:GenerateDataKey");
  }

  /** Lets the function open what was sealed. */
  bindOpen(fn: LambdaFunction): void {
    this.bind(fn, "kms:Decrypt");
  }

  private bind(fn: LambdaFunction, action: string): void {
    fn.addEnvironment(env.kmsKey, this.key.keyArn);
    allow(fn, [action], [this.key.keyArn]);
  }
}
