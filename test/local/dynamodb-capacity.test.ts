import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { takeCapacity } from "../../local/dynamodb/capacity.ts";
import { itemSize } from "../../local/dynamodb/item-size.ts";
import { type Fixture, startFixture, TABLE } from "./dynamodb-harness.ts";

const TableName = TABLE;
/** Fills an item up to 3.5 KB: four write units, one strong read unit. */
const text = "x".repeat(3500);
const Key = { pk: "p", sk: "1" };
const item = (sk: string, more: Record<string, unknown> = {}) => ({ pk: "p", sk, text, ...more });
const query = { TableName, KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": "p" } };
const byGroup = {
  TableName,
  IndexName: "by-group",
  KeyConditionExpression: "#g = :g",
  ExpressionAttributeNames: { "#g": "group" },
  ExpressionAttributeValues: { ":g": "a" },
};
const setN = { TableName, UpdateExpression: "SET n = :n", ExpressionAttributeValues: { ":n": 1 } };
const exists = "attribute_exists(pk)";

type Case = [
  title: string,
  prepare: unknown[],
  send: (client: Fixture["client"]) => Promise<unknown>,
  units: object,
];

const CASES: Case[] = [
  [
    "a put: a unit a KB",
    [],
    (c) => c.send(new PutCommand({ TableName, Item: item("1") })),
    { write: 4, read: 0 },
  ],
  [
    "a put over a larger item: the larger one",
    [item("1")],
    (c) => c.send(new PutCommand({ TableName, Item: Key })),
    { write: 4, read: 0 },
  ],
  [
    "a put into an index: the index too",
    [],
    (c) => c.send(new PutCommand({ TableName, Item: item("1", { group: "a" }) })),
    { write: 5, read: 0 },
  ],
  [
    "a move within an index: two of the index",
    [item("1", { group: "a" })],
    (c) => c.send(new PutCommand({ TableName, Item: item("1", { group: "b" }) })),
    { write: 6, read: 0 },
  ],
  [
    "an update: the whole item",
    [item("1")],
    (c) => c.send(new UpdateCommand({ ...setN, Key })),
    { write: 4, read: 0 },
  ],
  [
    "a delete: the whole item",
    [item("1")],
    (c) => c.send(new DeleteCommand({ TableName, Key })),
    { write: 4, read: 0 },
  ],
  [
    "a batch of writes: their sum",
    [],
    (c) =>
      c.send(
        new BatchWriteCommand({
          RequestItems: {
            [TABLE]: [{ PutRequest: { Item: item("1") } }, { PutRequest: { Item: item("2") } }],
          },
        }),
      ),
    { write: 8, read: 0 },
  ],
  [
    "a transaction: double for its items, single for the index",
    [],
    (c) =>
      c.send(
        new TransactWriteCommand({
          TransactItems: [
            { Put: { TableName, Item: item("1", { group: "a" }) } },
            { Put: { TableName, Item: item("2") } },
          ],
        }),
      ),
    { write: 17, read: 0 },
  ],
  [
    "a condition check: a doubled write of the item",
    [item("1")],
    (c) =>
      c.send(
        new TransactWriteCommand({
          TransactItems: [{ ConditionCheck: { TableName, Key, ConditionExpression: exists } }],
        }),
      ),
    { write: 8, read: 0 },
  ],
  [
    "a strong get: a unit for 4 KB",
    [item("1")],
    (c) => c.send(new GetCommand({ TableName, Key, ConsistentRead: true })),
    { write: 0, read: 1 },
  ],
  [
    "an eventual get: half",
    [item("1")],
    (c) => c.send(new GetCommand({ TableName, Key })),
    { write: 0, read: 0.5 },
  ],
  ["a get of nothing: half", [], (c) => c.send(new GetCommand({ TableName, Key })), { write: 0, read: 0.5 }],
  [
    "a strong query: its items together",
    [item("1"), item("2"), item("3")],
    (c) => c.send(new QueryCommand({ ...query, ConsistentRead: true })),
    { write: 0, read: 3 },
  ],
  [
    "a query of an index: what the index holds",
    [item("1", { group: "a" }), item("2", { group: "a" })],
    (c) => c.send(new QueryCommand(byGroup)),
    { write: 0, read: 0.5 },
  ],
  [
    "a strong batch of gets: each rounded up",
    [item("1"), item("2")],
    (c) =>
      c.send(
        new BatchGetCommand({
          RequestItems: { [TABLE]: { Keys: [Key, { pk: "p", sk: "2" }], ConsistentRead: true } },
        }),
      ),
    { write: 0, read: 2 },
  ],
  [
    "a transactional get: double",
    [item("1")],
    (c) => c.send(new TransactGetCommand({ TransactItems: [{ Get: { TableName, Key } }] })),
    { write: 0, read: 2 },
  ],
  [
    "a put that its condition refuses: as if it were done",
    [item("1")],
    (c) =>
      c
        .send(new PutCommand({ TableName, Item: item("1"), ConditionExpression: "attribute_not_exists(pk)" }))
        .catch((error: Error) => expect(error.name).toBe("ConditionalCheckFailedException")),
    { write: 4, read: 0 },
  ],
  [
    "a transaction that a condition cancels: double, by the request",
    [],
    (c) =>
      c
        .send(
          new TransactWriteCommand({
            TransactItems: [
              { Put: { TableName, Item: item("2") } },
              { ConditionCheck: { TableName, Key, ConditionExpression: exists } },
            ],
          }),
        )
        .catch((error: Error) => expect(error.name).toBe("TransactionCanceledException")),
    { write: 10, read: 0 },
  ],
  [
    "a request that is not valid: nothing",
    [],
    (c) =>
      c
        .send(new GetCommand({ TableName, Key: { pk: "p" } }))
        .catch((error: Error) => expect(error.name).toBe("ValidationException")),
    { write: 0, read: 0 },
  ],
];

describe("capacity is counted as it is billed for", () => {
  for (const [title, items, send, units] of CASES) {
    test(title, async () => {
      const { client, dynamo } = await startFixture();
      for (const Item of items) await client.send(new PutCommand({ TableName, Item: Object(Item) }));
      const before = { ...dynamo.capacity };
      await send(client);
      expect({
        write: dynamo.capacity.write - before.write,
        read: dynamo.capacity.read - before.read,
      }).toEqual(units);
    });
  }
});

test("a client that asks for consumption gets it, and it is counted once", async () => {
  const { client, dynamo } = await startFixture();
  const put = { TableName, Item: item("1", { group: "a" }) };
  const total = await client.send(new PutCommand({ ...put, ReturnConsumedCapacity: "TOTAL" }));
  expect(total.ConsumedCapacity).toEqual({ TableName, CapacityUnits: 5 });
  const indexes = await client.send(new PutCommand({ ...put, ReturnConsumedCapacity: "INDEXES" }));
  expect(indexes.ConsumedCapacity).toMatchObject({ CapacityUnits: 4, Table: { CapacityUnits: 4 } });
  const none = await client.send(new PutCommand({ ...put, ReturnConsumedCapacity: "NONE" }));
  expect(none.ConsumedCapacity).toBeUndefined();
  expect((await client.send(new PutCommand(put))).ConsumedCapacity).toBeUndefined();
  expect(dynamo.capacity.write).toBe(5 + 4 + 4 + 4);
});

test("requests are counted by operation", async () => {
  const { client, dynamo } = await startFixture();
  await client.send(new PutCommand({ TableName, Item: Key }));
  await client.send(new GetCommand({ TableName, Key }));
  await client.send(new GetCommand({ TableName, Key }));
  expect(dynamo.counts).toEqual({ CreateTable: 1, PutItem: 1, GetItem: 2 });
});

test("consumption is taken out of any answer and the rest is left as it is", () => {
  const name = fc.constantFrom("Item", "ConsumedCapacity", "Count", '"ConsumedCapacity":', "Table");
  const text = fc.constantFrom("x", '"ConsumedCapacity":', ',"ConsumedCapacity":{"CapacityUnits":9}}', "ü");
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.dictionary(name, tie("value"), { maxKeys: 3 }),
      fc.array(tie("value")),
    ),
  })).value;
  const answer = fc.dictionary(fc.constantFrom("Item", "Items", "Attributes"), value);
  fc.assert(
    fc.property(answer, fc.boolean(), (rest, first) => {
      const consumed = { ConsumedCapacity: { TableName, CapacityUnits: 3 } };
      const body = JSON.stringify(first ? { ...consumed, ...rest } : { ...rest, ...consumed });
      const taken = takeCapacity(Buffer.from(body), true);
      expect(taken?.capacity).toEqual({ write: 3, read: 0 });
      expect(taken?.rest.toString()).toBe(JSON.stringify(rest));
    }),
  );
});

test("the size of an item is that of its names and values", () => {
  const sizes: [item: Record<string, unknown>, size: number][] = [
    [{ pk: { S: "abc" } }, 5],
    [{ ü: { S: "ü" } }, 4],
    [{ n: { N: "-12.5" } }, 4],
    [{ b: { B: "AAAA" } }, 4],
    [{ t: { BOOL: true } }, 2],
    [{ z: { NULL: true } }, 2],
    [{ s: { SS: ["ab", "c"] } }, 4],
    [{ l: { L: [{ S: "ab" }, { N: "1" }] } }, 1 + 3 + 2 + 2 + 2],
    [{ m: { M: { k: { S: "v" } } } }, 1 + 3 + 1 + 2],
  ];
  for (const [attributes, size] of sizes)
    expect([attributes, itemSize(attributes)]).toEqual([attributes, size]);
});
