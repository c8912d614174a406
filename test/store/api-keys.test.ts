import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { createApiKeys } from "../../adapters/aws/api-keys.ts";
import { documentClient } from "../../adapters/aws/clients.ts";
import { createCredentials } from "../../adapters/aws/credentials.ts";
import type { ApiKeys, StoredApiKey } from "../../core/ports/api-keys.ts";
import { startStores } from "./harness.ts";

const { client, table } = await startStores();
const apiKeys = createApiKeys({ client, table });
const credentials = createCredentials({ client, table });

const newest = Array.from({ length: 40 }, (_, at) => `key_${String(at).padStart(3, "0")}`);
let made = 0;
/** A key of the project with an id that sorts behind those before. */
async function create(projectId: string, keys: ApiKeys = apiKeys) {
  const id = newest[made++] ?? "";
  const { secret, prefix } = keys.newSecret();
  const key: StoredApiKey = { id, name: `name of ${id}`, prefix, createdAt: "2026-12-01T12:00:00.000Z" };
  await keys.create(projectId, key, secret);
  return { key, secret };
}
const items = async () => (await client.send(new ScanCommand({ TableName: table }))).Items ?? [];

test("a key is one item to look it up by and one of its project's list, which share no clear secret", async () => {
  const before = (await items()).length;
  const { key, secret } = await create("prj_items");
  expect(await items()).toHaveLength(before + 2);
  expect(JSON.stringify(await items())).not.toContain(secret.slice(key.prefix.length));
  expect(await credentials.project(secret)).toBe("prj_items");
  expect(await apiKeys.list("prj_items", null, 10)).toEqual({ items: [key], more: false });
  expect(await apiKeys.revoke("prj_items", key.id)).toBe(true);
  expect(await items()).toHaveLength(before);
  expect(await credentials.project(secret)).toBeNull();
});

test("a key whose id is taken is not written, not even the half that would let it in", async () => {
  const { key } = await create("prj_taken");
  const before = await items();
  const { secret } = apiKeys.newSecret();
  await expect(apiKeys.create("prj_taken", { ...key, name: "another" }, secret)).rejects.toThrow(
    TransactionCanceledException,
  );
  expect(await items()).toEqual(before);
  expect(await credentials.project(secret)).toBeNull();
});

test("a project sees and revokes its own keys alone, newest first and page by page", async () => {
  const mine = [await create("prj_a"), await create("prj_a"), await create("prj_a")];
  const theirs = await create("prj_b");
  const [third, second, first] = mine.map(({ key }) => key).reverse();
  expect(await apiKeys.list("prj_a", null, 2)).toEqual({ items: [third, second], more: true });
  expect(await apiKeys.list("prj_a", second?.id ?? "", 2)).toEqual({ items: [first], more: false });
  expect(await apiKeys.revoke("prj_a", theirs.key.id)).toBe(false);
  expect(await credentials.project(theirs.secret)).toBe("prj_b");
  expect((await apiKeys.list("prj_b", null, 10)).items).toEqual([theirs.key]);
});

describe("a revocation", () => {
  test("is one of many at once that ask for it", async () => {
    const { key, secret } = await create("prj_many");
    const revoked = await Promise.all(Array.from({ length: 10 }, () => apiKeys.revoke("prj_many", key.id)));
    expect(revoked.filter(Boolean)).toHaveLength(1);
    expect(await credentials.project(secret)).toBeNull();
  });

  test("is tried again when another transaction touches its items", async () => {
    const { key, secret } = await create("prj_conflict");
    const other = documentClient();
    const conflicts = cancelOnce(other, "TransactionConflict");
    expect(await createApiKeys({ client: other, table }).revoke("prj_conflict", key.id)).toBe(true);
    expect(conflicts()).toBe(1);
    expect(await credentials.project(secret)).toBeNull();
    other.destroy();
  });

  test("fails, and revokes nothing, when it is cancelled for what is no race", async () => {
    const { key, secret } = await create("prj_throttled");
    const other = documentClient();
    cancelOnce(other, "ThrottlingError");
    await expect(createApiKeys({ client: other, table }).revoke("prj_throttled", key.id)).rejects.toThrow(
      TransactionCanceledException,
    );
    expect(await credentials.project(secret)).toBe("prj_throttled");
    expect((await apiKeys.list("prj_throttled", null, 10)).items).toEqual([key]);
    other.destroy();
  });
});

/** Cancels the client's next transaction for this reason; tells how often that was. */
function cancelOnce(other: DynamoDBDocumentClient, Code: string): () => number {
  let injected = 0;
  other.middlewareStack.add(
    (next, context) => async (args) => {
      if (context["commandName"] !== "TransactWriteItemsCommand" || injected > 0) return next(args);
      injected += 1;
      throw new TransactionCanceledException({
        $metadata: {},
        message: "Transaction cancelled",
        CancellationReasons: [{ Code }, { Code: "None" }],
      });
    },
    { step: "initialize" },
  );
  return () => injected;
}
