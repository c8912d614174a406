import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { BUCKET, codeOf, raw, refusalOf, startFixture } from "./s3-harness.ts";

const Bucket = BUCKET;
const FAILED = { status: 412, code: "PreconditionFailed" };

describe("a conditional write", () => {
  test("with IfNoneMatch * creates and does not replace", async () => {
    const { client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "first", IfNoneMatch: "*" }));
    const again = client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "second", IfNoneMatch: "*" }));
    expect(await refusalOf(again)).toEqual(FAILED);
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "k" }));
    expect(await got.Body?.transformToString()).toBe("first");
  });

  test("with IfMatch replaces the version it names and no other", async () => {
    const { client } = await startFixture();
    const first = await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "1" }));
    const replace = (Body: string) =>
      client.send(new PutObjectCommand({ Bucket, Key: "k", Body, IfMatch: first.ETag }));
    await replace("2");
    expect(await refusalOf(replace("3"))).toEqual(FAILED);
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "k" }));
    expect(await got.Body?.transformToString()).toBe("2");
  });

  test("with IfMatch on a missing key is NoSuchKey", async () => {
    const { client } = await startFixture();
    const put = client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "1", IfMatch: '"abc"' }));
    expect(await refusalOf(put)).toEqual({ status: 404, code: "NoSuchKey" });
  });

  test("is won by exactly one of twenty at once", async () => {
    const { client } = await startFixture();
    for (const size of [10, 300_000]) {
      const Key = `race-${size}`;
      const bodies = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index).repeat(size));
      const outcomes = await Promise.allSettled(
        bodies.map((Body) => client.send(new PutObjectCommand({ Bucket, Key, Body, IfNoneMatch: "*" }))),
      );
      const won = outcomes.flatMap((outcome, index) => (outcome.status === "fulfilled" ? [index] : []));
      const lost = outcomes.flatMap((outcome) =>
        outcome.status === "rejected" ? [outcome.reason.name] : [],
      );
      expect(won).toHaveLength(1);
      expect(lost).toEqual(Array.from({ length: 19 }, () => "PreconditionFailed"));
      const got = await client.send(new GetObjectCommand({ Bucket, Key }));
      expect(await got.Body?.transformToString()).toBe(bodies[won[0] ?? -1]);
    }
  });

  test("is refused before a large body is asked for", async () => {
    const { client, s3 } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "first" }));
    const headers = { "content-length": "30000000", "if-none-match": "*", expect: "100-continue" };
    const answer = await raw(s3.url, "PUT", "/blobs/k", headers);
    expect([answer.status, codeOf(answer), answer.headers["connection"]]).toEqual([
      412,
      "PreconditionFailed",
      "close",
    ]);
  });
});

describe("a conditional read", () => {
  test("sends, withholds or refuses by the ETag", async () => {
    const { client } = await startFixture();
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "body" }));
    const get = (conditions: { IfMatch?: string; IfNoneMatch?: string }) =>
      client.send(new GetObjectCommand({ Bucket, Key: "k", ...conditions }));
    const tag = ETag ?? "";
    expect(await (await get({ IfMatch: tag })).Body?.transformToString()).toBe("body");
    expect(await (await get({ IfNoneMatch: '"other"' })).Body?.transformToString()).toBe("body");
    expect((await refusalOf(get({ IfNoneMatch: tag }))).status).toBe(304);
    expect(await refusalOf(get({ IfMatch: '"other"' }))).toEqual(FAILED);
    const head = client.send(new HeadObjectCommand({ Bucket, Key: "k", IfNoneMatch: tag }));
    expect((await refusalOf(head)).status).toBe(304);
  });

  test("compares dates to the second, and the ETag before the date", async () => {
    const { client, s3 } = await startFixture();
    const { ETag = "" } = await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "body" }));
    const modified = String((await raw(s3.url, "HEAD", "/blobs/k")).headers["last-modified"]);
    const past = "Mon, 01 Jan 2024 00:00:00 GMT";
    const status = async (headers: Record<string, string>) =>
      (await raw(s3.url, "GET", "/blobs/k", headers)).status;
    expect(await status({ "if-modified-since": modified })).toBe(304);
    expect(await status({ "if-modified-since": past })).toBe(200);
    expect(await status({ "if-unmodified-since": modified })).toBe(200);
    expect(await status({ "if-unmodified-since": past })).toBe(412);
    expect(await status({ "if-match": ETag, "if-unmodified-since": past })).toBe(200);
    expect(await status({ "if-none-match": ETag, "if-modified-since": past })).toBe(304);
    expect(await status({ "if-none-match": `W/"zz", ${ETag}` })).toBe(304);
  });
});

describe("a range", () => {
  const ranges: [range: string, text: string, contentRange: string][] = [
    ["bytes=0-0", "0", "bytes 0-0/10"],
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=-30", "0123456789", "bytes 0-9/10"],
    ["bytes=8-99", "89", "bytes 8-9/10"],
  ];
  for (const [Range, text, contentRange] of ranges) {
    test(`of ${Range} sends ${text}`, async () => {
      const { client } = await startFixture();
      await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "0123456789" }));
      const got = await client.send(new GetObjectCommand({ Bucket, Key: "k", Range }));
      expect(await got.Body?.transformToString()).toBe(text);
      expect(got.ContentRange).toBe(contentRange);
      expect(got.$metadata.httpStatusCode).toBe(206);
      const head = await client.send(new HeadObjectCommand({ Bucket, Key: "k", Range }));
      expect(head.ContentLength).toBe(text.length);
    });
  }

  test("outside the object is InvalidRange and says how long the object is", async () => {
    const { client, s3 } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "0123456789" }));
    await client.send(new PutObjectCommand({ Bucket, Key: "empty", Body: "" }));
    for (const Range of ["bytes=10-", "bytes=10-20", "bytes=-0"]) {
      const got = client.send(new GetObjectCommand({ Bucket, Key: "k", Range }));
      expect(await refusalOf(got)).toEqual({ status: 416, code: "InvalidRange" });
    }
    const empty = client.send(new GetObjectCommand({ Bucket, Key: "empty", Range: "bytes=0-0" }));
    expect((await refusalOf(empty)).code).toBe("InvalidRange");
    const answer = await raw(s3.url, "GET", "/blobs/k", { range: "bytes=10-" });
    expect(answer.headers["content-range"]).toBe("bytes */10");
  });

  test("that is malformed, reversed, multiple or of another version is ignored", async () => {
    const { client, s3 } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "0123456789" }));
    for (const range of ["bytes=", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=5-2", "bytes=0-1,3-4"]) {
      expect((await raw(s3.url, "GET", "/blobs/k", { range })).body).toBe("0123456789");
    }
    const headers = { range: "bytes=0-1", "if-range": '"other"' };
    expect((await raw(s3.url, "GET", "/blobs/k", headers)).status).toBe(200);
  });
});
