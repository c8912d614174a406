import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { Laptop } from "./laptop.ts";

const Key = z.object({ pk: z.string(), sk: z.string() });
/** Table and bucket have one name. */
const NAME = "stepyard";

/** Everything that a laptop stores and that names something: keys of items that have the text anywhere, and of objects. */
export async function stored({ endpoints }: Laptop, text: string): Promise<string[]> {
  const shared = { region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
  const table = DynamoDBDocumentClient.from(new DynamoDBClient({ ...shared, endpoint: endpoints.dynamodb }));
  const bucket = new S3Client({ ...shared, endpoint: endpoints.s3, forcePathStyle: true });
  try {
    const found: string[] = [];
    for (let from: Record<string, unknown> | undefined, first = true; first || from !== undefined; ) {
      const start = from === undefined ? {} : { ExclusiveStartKey: from };
      const page = await table.send(new ScanCommand({ TableName: NAME, ConsistentRead: true, ...start }));
      const naming = (page.Items ?? []).filter((item) => JSON.stringify(item).includes(text));
      found.push(...naming.map((item) => Key.parse(item)).map(({ pk, sk }) => `${pk} ${sk}`));
      from = page.LastEvaluatedKey;
      first = false;
    }
    for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
      const next = token === undefined ? {} : { ContinuationToken: token };
      const page = await bucket.send(new ListObjectsV2Command({ Bucket: NAME, ...next }));
      const keys = (page.Contents ?? []).map(({ Key: key = "" }) => key);
      found.push(...keys.filter((key) => key.includes(text)));
      token = page.NextContinuationToken;
    }
    return found.sort();
  } finally {
    table.destroy();
    bucket.destroy();
  }
}
