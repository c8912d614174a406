import { Duration, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  type CfnBucket,
  type IBucket,
  ObjectOwnership,
} from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { env } from "../contract/env.ts";
import { answersPrefix, blobKey } from "../contract/table.ts";
import { allow } from "./function.ts";
import { accept, acceptWildcard } from "./nag.ts";
import { removalPolicy } from "./removal.ts";
import type { Settings } from "./settings.ts";

/** What a function may do with objects. */
export const bucketActions = {
  read: ["s3:GetObject"],
  readWrite: ["s3:GetObject", "s3:PutObject"],
  erase: ["s3:DeleteObject"],
} as const;

export type BucketAccess = keyof typeof bucketActions;

/** Patterns of the keys that exist, taken from the functions that spell them. */
export const keyPatterns = {
  sessions: `${blobKey.session("*")}*`,
  agents: blobKey.agentConfig("*", "*"),
  answers: blobKey.answer("*", "*"),
} as const;

export type KeyPattern = keyof typeof keyPatterns;

const shared = (settings: Settings): BucketProps => ({
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  enforceSSL: true,
  encryption: BucketEncryption.S3_MANAGED,
  objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
  removalPolicy: removalPolicy(settings),
});

/**
 * The bucket of what is too large for an item. Not versioned: every object is written once under a key
 * of its own (a hash, a version), and a session that was deleted shall be gone, not hidden.
 */
export class BlobBucket extends Construct {
  readonly bucket: Bucket;
  readonly accessLogs: Bucket;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.accessLogs = new Bucket(this, "AccessLogs", {
      ...shared(settings),
      lifecycleRules: [{ expiration: Duration.days(settings.logRetentionDays) }],
    });
    accept(
      this.accessLogs,
      "S1",
      "This is the bucket that access logs go to; logging itself would never end.",
    );
    this.bucket = new Bucket(this, "Bucket", {
      ...shared(settings),
      // The CDK's own types do not agree with each other about an optional property.
      serverAccessLogsBucket: this.accessLogs as IBucket,
      serverAccessLogsPrefix: "blobs/",
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // They are good for a day.
        { prefix: answersPrefix, expiration: Duration.days(2) },
      ],
    });
  }

  /** Tells the function the bucket's name and allows nothing: all functions share wiring that wants a name. */
  name(fn: LambdaFunction): void {
    fn.addEnvironment(env.bucket, this.bucket.bucketName);
  }

  /** Tells the function the bucket's name and lets it do what `access` says under the given keys. */
  bind(fn: LambdaFunction, access: BucketAccess, patterns: readonly KeyPattern[]): void {
    this.name(fn);
    for (const pattern of patterns) this.allowPattern(fn, access, keyPatterns[pattern]);
  }

  /** Lets the function find and delete everything of a session, and nothing else. */
  bindErasure(fn: LambdaFunction): void {
    this.bind(fn, "erase", ["sessions"]);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["s3:ListBucket"],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { "s3:prefix": blobKey.session("*") } },
      }),
    );
  }

  private allowPattern(fn: LambdaFunction, access: BucketAccess, pattern: string): void {
    allow(fn, bucketActions[access], [this.bucket.arnForObjects(pattern)]);
    const logicalId = Stack.of(this).getLogicalId(this.bucket.node.defaultChild as CfnBucket);
    acceptWildcard(
      fn.role ?? fn,
      `Resource::<${logicalId}.Arn>/${pattern}`,
      "The last parts of a key name a session or project, which are created at run time.",
    );
  }
}
