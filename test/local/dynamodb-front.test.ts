import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { keyOf, onCleanup, raw, startFixture, TABLE } from "./dynamodb-harness.ts";

const TableName = TABLE;
const written = (eventName: string, sk: string) => ({ tableName: TABLE, key: keyOf("p", sk), eventName });

describe("a committed write", () => {
  test("is told by its key, with what is known of it", async () => {
    const { client, told } = await startFixture();
    await client.send(new PutCommand({ TableName, Item: { pk: "p", sk: "1", secret: "x" } }));
    await client.send(
      new PutCommand({
        TableName,
        Item: { pk: "p", sk: "2" },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    );
    await client.send(
      new UpdateCommand({
        TableName,
        Key: { pk: "p", sk: "1" },
        UpdateExpression: "SET n = :n",
        ExpressionAttributeValues: { ":n": 1 },
      }),
    );
    await client.send(new DeleteCommand({ TableName, Key: { pk: "p", sk: "1" } }));
    expect(told).toEqual([
      [written("MODIFY", "1")],
      [written("INSERT", "2")],
      [written("MODIFY", "1")],
      [written("REMOVE", "1")],
    ]);
  });

  test("is an INSERT only when its condition admits no existing item", async () => {
    const { client, told } = await startFixture();
    const conditions: [expression: string, names: Record<string, string> | undefined, event: string][] = [
      ["attribute_not_exists( #k )", { "#k": "sk" }, "INSERT"],
      ["attribute_not_exists(pk) AND attribute_not_exists(sk)", undefined, "INSERT"],
      ["attribute_not_exists(deleted)", undefined, "MODIFY"],
      ["attribute_not_exists(pk) OR attribute_exists(pk)", undefined, "MODIFY"],
      ["attribute_not_exists(#k)", { "#k": "version" }, "MODIFY"],
    ];
    for (const [index, [ConditionExpression, names]] of conditions.entries()) {
      const Item = { pk: "p", sk: String(index) };
      const extra = names === undefined ? {} : { ExpressionAttributeNames: names };
      await client.send(new PutCommand({ TableName, Item, ConditionExpression, ...extra }));
    }
    expect(told.flat().map(({ eventName }) => eventName)).toEqual(conditions.map(([, , event]) => event));
  });

  test("of a transaction is told with the others in one call, conditions checked left out", async () => {
    const { client, told } = await startFixture();
    await client.send(new PutCommand({ TableName, Item: { pk: "p", sk: "old" } }));
    const Key = { pk: "p", sk: "old" };
    await client.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { pk: "p", sk: "1" }, ConditionExpression: "attribute_not_exists(pk)" } },
          {
            Update: {
              TableName,
              Key: { pk: "p", sk: "2" },
              UpdateExpression: "SET n = :n",
              ExpressionAttributeValues: { ":n": 1 },
            },
          },
          { Delete: { TableName, Key: { pk: "p", sk: "3" } } },
          { ConditionCheck: { TableName, Key, ConditionExpression: "attribute_exists(pk)" } },
        ],
      }),
    );
    expect(told[1]).toEqual([written("INSERT", "1"), written("MODIFY", "2"), written("REMOVE", "3")]);
    expect(told).toHaveLength(2);
  });

  test("of a batch is told in the batch's order", async () => {
    const { client, told } = await startFixture();
    const requests = ["b", "a", "c"].map((sk) => ({ PutRequest: { Item: { pk: "p", sk } } }));
    const RequestItems = { [TABLE]: [...requests, { DeleteRequest: { Key: { pk: "p", sk: "d" } } }] };
    await client.send(new BatchWriteCommand({ RequestItems }));
    expect(told).toEqual([
      [written("MODIFY", "b"), written("MODIFY", "a"), written("MODIFY", "c"), written("REMOVE", "d")],
    ]);
  });

  test("repeated under its token is told once and counted as a read", async () => {
    const { client, told, dynamo } = await startFixture();
    const Item = { pk: "p", sk: "1", text: "x".repeat(1500) };
    const put = { TransactItems: [{ Put: { TableName, Item } }], ClientRequestToken: "token" };
    await client.send(new TransactWriteCommand(put));
    expect(dynamo.capacity).toEqual({ write: 4, read: 0 });
    await client.send(new TransactWriteCommand(put));
    expect(told).toEqual([[written("MODIFY", "1")]]);
    expect(dynamo.capacity).toEqual({ write: 4, read: 2 });
  });

  test("is known to the consumer before the client has its answer", async () => {
    const { client, told } = await startFixture();
    for (let sk = 0; sk < 20; sk++) {
      await client.send(new PutCommand({ TableName, Item: { pk: "p", sk: String(sk) } }));
      expect(told).toHaveLength(sk + 1);
    }
  });

  test("does not wait for its consumer, nor fail with it", async () => {
    const warnings: string[] = [];
    const hear = (warning: Error) => warnings.push(warning.message);
    process.on("warning", hear);
    onCleanup(async () => process.off("warning", hear));
    let calls = 0;
    const { client } = await startFixture({
      onWrite() {
        calls += 1;
        if (calls === 1) return new Promise<void>(() => {});
        if (calls === 2) return Promise.reject(new Error("rejected"));
        throw new Error("thrown");
      },
    });
    for (const sk of ["1", "2", "3"]) await client.send(new PutCommand({ TableName, Item: { pk: "p", sk } }));
    expect(calls).toBe(3);
    await expect.poll(() => warnings, { timeout: 5000 }).toHaveLength(2);
    expect(warnings).toEqual([expect.stringContaining("rejected"), expect.stringContaining("thrown")]);
  });
});

test("writes of one item are told in the order in which they were committed", async () => {
  const { client, told } = await startFixture();
  const Key = { pk: "p", sk: "hot" };
  for (let round = 0; round < 30; round++) {
    const writes = Array.from({ length: 8 }, (_, index) =>
      (index + round) % 2 === 0
        ? client.send(new PutCommand({ TableName, Item: Key }))
        : client.send(new DeleteCommand({ TableName, Key })),
    );
    await Promise.all(writes);
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    expect(told.at(-1)?.[0]?.eventName).toBe(Item === undefined ? "REMOVE" : "MODIFY");
  }
});

test("what was not written is not told", async () => {
  const { client, told, dynamo } = await startFixture();
  await client.send(new PutCommand({ TableName, Item: { pk: "p", sk: "1" } }));
  told.length = 0;
  const create = { TableName, Item: { pk: "p", sk: "1" }, ConditionExpression: "attribute_not_exists(pk)" };
  await expect(client.send(new PutCommand(create))).rejects.toThrow(ConditionalCheckFailedException);
  const both = { TransactItems: [{ Put: { TableName, Item: { pk: "p", sk: "2" } } }, { Put: create }] };
  await expect(client.send(new TransactWriteCommand(both))).rejects.toThrow(TransactionCanceledException);
  await expect(
    client.send(new PutCommand({ TableName: "missing", Item: { pk: "p", sk: "1" } })),
  ).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
  await client.send(new GetCommand({ TableName, Key: { pk: "p", sk: "1" } }));
  for (const body of ["", "{", "[]", "null", '{"TableName":1}']) await raw(dynamo.url, "PutItem", body);
  expect(told).toEqual([]);
});
