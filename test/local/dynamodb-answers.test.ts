import { once } from "node:events";
import { createServer } from "node:http";
import { crc32 } from "node:zlib";
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, test } from "vitest";
import { startDynamoFront } from "../../local/dynamodb/front.ts";
import { clientFor, onCleanup, raw, startFixture, TABLE } from "./dynamodb-harness.ts";

const TableName = TABLE;

describe("an answer", () => {
  test("is the engine's, with a right checksum, for every kind of request", async () => {
    const { dynamo, client } = await startFixture();
    await client.send(
      new PutCommand({
        TableName,
        Item: { pk: "p", sk: "1", ConsumedCapacity: "ü", list: ['"ConsumedCapacity":'] },
      }),
    );
    const table = `"TableName":"${TABLE}"`;
    const key = '{"pk":{"S":"p"},"sk":{"S":"1"}}';
    const query = '"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}';
    const requests: [operation: string, body: string][] = [
      ["GetItem", `{${table},"Key":${key}}`],
      ["GetItem", `{${table},"Key":{"pk":{"S":"ReturnConsumedCapacity"},"sk":{"S":"1"}}}`],
      ["GetItem", `{${table},"Key":${key},"ReturnConsumedCapacity":"TOTAL"}`],
      ["GetItem", `{${table},"Key":${key},"ReturnConsumedCapacity":"INDEXES"}`],
      ["GetItem", `{${table},"Key":${key},"ReturnConsumedCapacity":"NONE"}`],
      ["GetItem", `{${table},"Key":${key},"ReturnConsumedCapacity":"ALL"}`],
      ["Query", `{${table},${query}}`],
      ["Query", `{${table},${query},"Select":"COUNT"}`],
      ["Scan", `{${table}}`],
      ["Scan", "{}"],
      ["Scan", "{"],
      ["BatchGetItem", `{"RequestItems":{"${TABLE}":{"Keys":[${key}]}}}`],
      ["TransactGetItems", `{"TransactItems":[{"Get":{${table},"Key":${key}}}]}`],
      ["PutItem", `{${table},"Item":${key},"ReturnValues":"ALL_OLD"}`],
      ["PutItem", `{${table},"Item":${key}}`],
      ["PutItem", `{${table},"Item":${key},"ConditionExpression":"attribute_not_exists(pk)"}`],
      ["BatchWriteItem", `{"RequestItems":{"${TABLE}":[{"PutRequest":{"Item":${key}}}]}}`],
      ["TransactWriteItems", `{"TransactItems":[{"Put":{${table},"Item":${key}}}]}`],
      ["DescribeTable", `{${table}}`],
      ["ListTables", "{}"],
      ["Nonsense", "{}"],
    ];
    for (const [operation, body] of requests) {
      // Twice, so that both see the same state: the first may have written.
      await raw(dynamo.engine.url, operation, body);
      const direct = await raw(dynamo.engine.url, operation, body);
      const fronted = await raw(dynamo.url, operation, body);
      // The engine gives attributes in any order.
      expect([operation, body, fronted.status, JSON.parse(fronted.body)]).toEqual([
        operation,
        body,
        direct.status,
        JSON.parse(direct.body),
      ]);
      expect(fronted.headers["x-amz-crc32"]).toBe(String(crc32(fronted.body)));
      expect(fronted.headers["content-length"]).toBe(String(Buffer.byteLength(fronted.body)));
      expect(fronted.headers["content-type"]).toBe(direct.headers["content-type"]);
    }
  });

  test("passes byte for byte, as the request does", async () => {
    const seen: { method: string | undefined; url: string | undefined; headers: string[]; body: string }[] =
      [];
    const text = '{ "Table" : {"a":"ü"} }\n';
    const target = createServer(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      const { method, url, rawHeaders: headers } = incoming;
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(203, { "X-Own": "a", "content-type": "x/y", "x-amz-crc32": "1" }).end(text);
    });
    target.listen(0, "127.0.0.1");
    await once(target, "listening");
    onCleanup(async () => target.close());
    const address = target.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const front = await startDynamoFront({ target: `http://127.0.0.1:${port}`, onWrite: () => {} });
    onCleanup(() => front.close());
    const body = ' { "TableName" : "ü",\t"Key":{} } ';
    const described = await raw(front.url, "DescribeTable", body);
    expect([described.status, described.body, described.headers["x-amz-crc32"]]).toEqual([203, text, "1"]);
    expect(described.headers).toMatchObject({ "x-own": "a", "content-type": "x/y" });
    await raw(front.url, "GetItem", body);
    expect(seen.map((request) => request.body)).toEqual([
      body,
      '{"ReturnConsumedCapacity":"TOTAL", "TableName" : "ü",\t"Key":{} } ',
    ]);
    const [request] = seen;
    expect([request?.method, request?.url]).toEqual(["POST", "/"]);
    expect(request?.headers).toEqual(
      expect.arrayContaining([
        "x-amz-target",
        "DynamoDB_20120810.DescribeTable",
        "Host",
        new URL(front.url).host,
      ]),
    );
  });

  test("of many items passes whole", async () => {
    const { client } = await startFixture();
    const text = "ü".repeat(150_000);
    for (const sk of ["1", "2", "3"])
      await client.send(new PutCommand({ TableName, Item: { pk: "p", sk, text } }));
    const query = { TableName, KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": "p" } };
    const { Items = [] } = await client.send(new QueryCommand(query));
    expect(Items.map((item) => item["text"] === text)).toEqual([true, true, true]);
  });

  test("of an engine that is not there is an error that clients try again", async () => {
    const front = await startDynamoFront({ target: "http://127.0.0.1:1", onWrite: () => {} });
    onCleanup(() => front.close());
    const put = clientFor(front.url).send(new PutCommand({ TableName, Item: { pk: "p", sk: "1" } }));
    await expect(put).rejects.toMatchObject({
      name: "InternalServerError",
      $metadata: { httpStatusCode: 500 },
    });
  });

  test("to more than DynamoDB ever takes is a refusal", async () => {
    const { dynamo } = await startFixture();
    const answer = await raw(dynamo.url, "PutItem", "x".repeat(20 * 1024 * 1024 + 1));
    expect([answer.status, JSON.parse(answer.body).__type]).toEqual([
      413,
      "com.amazonaws.dynamodb.v20120810#SerializationException",
    ]);
  });
});
