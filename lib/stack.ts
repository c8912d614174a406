import { Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { Alarms } from "./alarms.ts";
import { BlobBucket } from "./bucket.ts";
import { DeadLetters } from "./dead-letters.ts";
import { HttpApi } from "./http-api.ts";
import { addFunctionOutputs, addOutput } from "./outputs.ts";
import { Runs } from "./runs.ts";
import { type Settings, stackTags } from "./settings.ts";
import { SessionTable } from "./table.ts";
import { Upkeep } from "./upkeep.ts";
import { Vault } from "./vault.ts";

/** Roles are named as a dependency beside being referred to: the CDK does so for their policies' sake. */
const acceptedByLint = { "cfn-lint": { config: { ignore_checks: ["W3005"] } } };

/** All of Stepyard, as a table of contents: what holds data, what runs, what is reached, what keeps order. */
export class StepyardStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, props?: StackProps) {
    super(scope, id, {
      description: "Stepyard, a serverless agents API",
      tags: stackTags(settings),
      ...props,
    });
    this.templateOptions.metadata = acceptedByLint;

    const table = new SessionTable(this, "Sessions", settings);
    const blobs = new BlobBucket(this, "Blobs", settings);
    const vault = new Vault(this, "Vault", settings);
    const deadLetters = new DeadLetters(this, "DeadLetters");

    const runs = new Runs(this, "Runs", { settings, table, blobs, vault });
    const http = new HttpApi(this, "Http", { settings, table, blobs, vault, runs });
    const upkeep = new Upkeep(this, "Upkeep", { settings, table, blobs, runs, deadLetters });

    const functions = { ...http.functions, ...runs.functions, ...upkeep.functions };
    const { machine } = runs;
    const { stage } = http;
    new Alarms(this, "Alarms", { settings, machine, stage, deadLetters: deadLetters.queue, ...functions });

    const output = (name: string, value: string, description: string) =>
      addOutput(this, name, value, description);
    output("BaseUrl", http.baseUrl, "Base URL for backends with an API key");
    output(
      "OperatorUrl",
      http.operatorUrl,
      "Base URL for operators; requests are signed with AWS credentials",
    );
    output("TableName", table.table.tableName, "Sessions, agents and keys");
    output("BucketName", blobs.bucket.bucketName, "Bodies too large for the table");
    output("AccessLogBucketName", blobs.accessLogs.bucketName, "Who read and wrote those bodies");
    output("KeyArn", vault.key.keyArn, "Seals model keys");
    output("StateMachineArn", machine.stateMachineArn, "Executions, one a run");
    output("DeadLetterQueueUrl", deadLetters.queue.queueUrl, "Work that was given up");
    output("AccessLogGroup", http.accessLogs.logGroupName, "One line a request");
    output("GatewayLogGroup", http.errorLogs.logGroupName, "What failed before it reached a function");
    addFunctionOutputs(this, functions);
  }
}
