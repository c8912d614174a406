import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { createBlobs } from "../../adapters/aws/blobs.ts";
import { createSessionStore } from "../../adapters/aws/session-store.ts";
import type { Laptop } from "../support/laptop.ts";

/** The stack's own adapter, on the data of a running stack. */
export function storeOf({ endpoints }: Laptop) {
  const shared = { region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ ...shared, endpoint: endpoints.dynamodb }));
  const bucket = new S3Client({ ...shared, endpoint: endpoints.s3, forcePathStyle: true });
  const blobs = createBlobs({ client: bucket, bucket: "stepyard" });
  return createSessionStore({ client, table: "stepyard", blobs, now: Date.now });
}
