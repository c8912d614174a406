import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { ulid } from "ulid";
import { createApiKeys } from "../../adapters/aws/api-keys.ts";
import { newId } from "../../contract/ids.ts";
import type { Laptop } from "./laptop.ts";

/** An API key of any project of a laptop, whose own dashboard session is of one project alone. */
export async function createKeyOf({ endpoints }: Laptop, projectId: string) {
  const client = new DynamoDBClient({
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    endpoint: endpoints.dynamodb,
  });
  try {
    const keys = createApiKeys({ client: DynamoDBDocumentClient.from(client), table: "stepyard" });
    const { secret, prefix } = keys.newSecret();
    const key = { id: newId("key", ulid()), name: "theirs", prefix, createdAt: new Date().toISOString() };
    await keys.create(projectId, key, secret);
    return { id: key.id, secret };
  } finally {
    client.destroy();
  }
}
