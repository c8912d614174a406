import { describe, expect, it } from "vitest";
import { onlyResource, resourcesOfType } from "../../lib/template.ts";
import { readable } from "./readable.ts";
import { templateUnderTest } from "./template-under-test.ts";

const template = await templateUnderTest();
const [, table] = onlyResource(template, "AWS::DynamoDB::Table");
const [, key] = onlyResource(template, "AWS::KMS::Key");
const buckets = new Map(
  resourcesOfType(template, "AWS::S3::Bucket").map(([id, bucket]) => [readable(`\${${id}}`), bucket]),
);

describe("storage", () => {
  it("keys items by pk and sk, and expires them by ttl", () => {
    expect(table.Properties).toMatchObject({
      KeySchema: [
        { AttributeName: "pk", KeyType: "HASH" },
        { AttributeName: "sk", KeyType: "RANGE" },
      ],
      TimeToLiveSpecification: { AttributeName: "ttl", Enabled: true },
    });
  });

  it("streams keys only, can be restored to any second, and is paid by request", () => {
    expect(table.Properties).toMatchObject({
      StreamSpecification: { StreamViewType: "KEYS_ONLY" },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      BillingMode: "PAY_PER_REQUEST",
    });
  });

  it("has one index, of what is due, with keys only", () => {
    expect(table.Properties["GlobalSecondaryIndexes"]).toEqual([
      {
        IndexName: "due",
        KeySchema: [
          { AttributeName: "due", KeyType: "HASH" },
          { AttributeName: "dueAt", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "KEYS_ONLY" },
      },
    ]);
  });

  it("keeps table, buckets and key when the stack is deleted, unless their creation failed", () => {
    for (const resource of [table, key, ...buckets.values()])
      expect(resource).toMatchObject({
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
      });
  });

  it("rotates the key", () => {
    expect(key.Properties).toMatchObject({ EnableKeyRotation: true });
  });

  it("keeps buckets private and encrypted", () => {
    expect([...buckets.keys()]).toEqual(["BlobsAccessLogs", "BlobsBucket"]);
    for (const { Properties } of buckets.values())
      expect(Properties).toMatchObject({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: "BucketOwnerEnforced" }] },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: "AES256" } }],
        },
      });
  });

  it("refuses requests to buckets and queue without TLS", () => {
    const policies = [
      ...resourcesOfType(template, "AWS::S3::BucketPolicy"),
      ...resourcesOfType(template, "AWS::SQS::QueuePolicy"),
    ];
    expect(policies).toHaveLength(3);
    for (const [, { Properties }] of policies)
      expect(Properties["PolicyDocument"]).toMatchObject({
        Statement: expect.arrayContaining([
          expect.objectContaining({
            Effect: "Deny",
            Principal: { AWS: "*" },
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          }),
        ]),
      });
  });

  it("logs access to blobs, and drops unfinished uploads, kept answers and old logs", () => {
    expect(readable(buckets.get("BlobsBucket")?.Properties)).toMatchObject({
      LoggingConfiguration: { DestinationBucketName: "BlobsAccessLogs", LogFilePrefix: "blobs/" },
      LifecycleConfiguration: {
        Rules: [
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
          { Prefix: "answers/", ExpirationInDays: 2, Status: "Enabled" },
        ],
      },
    });
    expect(buckets.get("BlobsAccessLogs")?.Properties).toMatchObject({
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 30, Status: "Enabled" }] },
    });
  });
});
