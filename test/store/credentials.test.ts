import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expect, test } from "vitest";
import { createCredentials } from "../../adapters/aws/credentials.ts";
import { startStores } from "./harness.ts";

const { client, table } = await startStores();
const credentials = createCredentials({ client, table });

test("a project's key is known by its secret, of which the table holds the hash", async () => {
  await credentials.put("sk-project-secret", "prj_1");
  expect(await credentials.project("sk-project-secret")).toBe("prj_1");
  expect(await credentials.project("sk-project-secret ")).toBeNull();
  expect(await credentials.project("")).toBeNull();
  const { Items } = await client.send(new ScanCommand({ TableName: table }));
  expect(Items).toHaveLength(1);
  expect(JSON.stringify(Items)).not.toContain("sk-project-secret");
});
