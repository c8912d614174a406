import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { BlobBucket } from "./bucket.ts";
import { DeadLetters } from "./dead-letters.ts";
import { HttpApi } from "./http-api.ts";
import { Runs } from "./runs.ts";
import type { Settings } from "./settings.ts";
import { SessionTable } from "./table.ts";
import { Upkeep } from "./upkeep.ts";
import { Vault } from "./vault.ts";

/** All of Stepyard, as a table of contents: what holds data, what runs, what is reached, what keeps order. */
export class StepyardStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, props?: StackProps) {
    super(scope, id, { description: "Stepyard, a serverless agents API", ...props });

    const table = new SessionTable(this, "Sessions", settings);
    const blobs = new BlobBucket(this, "Blobs", settings);
    const vault = new Vault(this, "Vault", settings);
    const deadLetters = new DeadLetters(this, "DeadLetters");

    const runs = new Runs(this, "Runs", { settings, table, blobs, vault });
    const http = new HttpApi(this, "Http", { settings, table, blobs, vault, runs });
    new Upkeep(this, "Upkeep", { settings, table, blobs, runs, deadLetters });

    const output = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description });
    output("BaseUrl", http.baseUrl, "Base URL for backends with an API key");
    output(
      "OperatorUrl",
      http.operatorUrl,
      "Base URL for operators; requests are signed with AWS credentials",
    );
    output("TableName", table.table.tableName, "Sessions, agents and keys");
    output("BucketName", blobs.bucket.bucketName, "Bodies too large for the table");
    output("StateMachineArn", runs.machine.stateMachineArn, "Executions, one a run");
    output("DeadLetterQueueUrl", deadLetters.queue.queueUrl, "Work that was given up");
  }
}
