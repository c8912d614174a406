import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { SFNClient } from "@aws-sdk/client-sfn";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/**
 * SDK clients, one each per process. Endpoints and credentials come from the environment as the SDK reads it
 * (`AWS_ENDPOINT_URL_DYNAMODB` and the like), so that the laptop needs no code of its own.
 */
export function documentClient(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5 }), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

/** Path style everywhere: it works for every bucket name and for endpoints that are not AWS. */
export function s3Client(): S3Client {
  return new S3Client({ forcePathStyle: true, maxAttempts: 5 });
}

export function sfnClient(): SFNClient {
  return new SFNClient({ maxAttempts: 5 });
}
