import { AttributeType, BillingMode, ProjectionType, StreamViewType, Table } from "aws-cdk-lib/aws-dynamodb";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { env } from "../contract/env.ts";
import { dueIndex, keyAttributes } from "../contract/table.ts";
import { allow } from "./function.ts";
import { removalPolicy } from "./removal.ts";
import type { Settings } from "./settings.ts";

const read = ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"] as const;

/** What a function may do with items. A transaction needs the actions of its parts. */
export const tableActions = {
  read,
  /** Reads, and marks the session as watched. */
  watch: [...read, "dynamodb:PutItem"],
  readWrite: [
    ...read,
    "dynamodb:BatchWriteItem",
    "dynamodb:ConditionCheckItem",
    "dynamodb:DeleteItem",
    "dynamodb:PutItem",
    "dynamodb:UpdateItem",
  ],
} as const;

/** What Lambda asks for to poll a stream on behalf of a function. */
export const streamActions = [
  "dynamodb:DescribeStream",
  "dynamodb:GetRecords",
  "dynamodb:GetShardIterator",
  "dynamodb:ListStreams",
] as const;

export type TableAccess = keyof typeof tableActions;

const string = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * The one table. A single-region table, not a global one: a commit is a conditional write, and copies
 * that accept writes elsewhere would let two commits win. Encrypted with the key that DynamoDB owns:
 * what is secret in an item is sealed before it gets there, and a customer key would add a request to
 * KMS, its price and its permission to every function.
 */
export class SessionTable extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.table = new Table(this, "Table", {
      partitionKey: string(keyAttributes.partition),
      sortKey: string(keyAttributes.sort),
      timeToLiveAttribute: keyAttributes.ttl,
      billingMode: BillingMode.PAY_PER_REQUEST,
      // A wake-up to read the log carries keys only.
      stream: StreamViewType.KEYS_ONLY,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: removalPolicy(settings),
    });
    this.table.addGlobalSecondaryIndex({
      indexName: dueIndex.name,
      partitionKey: string(dueIndex.partition),
      sortKey: string(dueIndex.sort),
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }

  /** Tells the function the table's name and lets it do what `access` says, indexes left out. */
  bind(fn: LambdaFunction, access: TableAccess): void {
    fn.addEnvironment(env.table, this.table.tableName);
    allow(fn, tableActions[access], [this.table.tableArn]);
  }

  /** Lets the function read the stream of committed keys. Returns the stream's ARN. */
  bindStream(fn: LambdaFunction): string {
    const stream = this.table.tableStreamArn;
    if (stream === undefined) throw new Error("The table has no stream: set `stream` where it is created.");
    allow(fn, streamActions, [stream]);
    return stream;
  }

  /** Lets the function query the index of sessions that are due. */
  bindDueIndex(fn: LambdaFunction): void {
    allow(fn, ["dynamodb:Query"], [`${this.table.tableArn}/index/${dueIndex.name}`]);
  }
}
