import { createHash, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import {
  type ChecksumAlgorithm,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { BUCKET, codeOf, raw, refusalOf, startFixture } from "./s3-harness.ts";

const Bucket = BUCKET;

describe("a stored object", () => {
  test("comes back with its bytes, type, headers and user metadata", async () => {
    const { client } = await startFixture();
    const Body = randomBytes(5000);
    const Metadata = { owner: "u1", note: "a b" };
    const put = await client.send(
      new PutObjectCommand({
        Bucket,
        Key: "a",
        Body,
        ContentType: "image/png",
        CacheControl: "no-store",
        Metadata,
      }),
    );
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "a" }));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(Body);
    expect(got).toMatchObject({
      ContentType: "image/png",
      CacheControl: "no-store",
      ContentLength: 5000,
      Metadata,
    });
    expect(put.ETag).toBe(`"${createHash("md5").update(Body).digest("hex")}"`);
    expect(got.ETag).toBe(put.ETag);
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: "a" }));
    expect(head).toMatchObject({ ContentType: "image/png", ContentLength: 5000, ETag: put.ETag, Metadata });
  });

  test("of no bytes comes back empty", async () => {
    const { client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "empty", Body: "" }));
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "empty" }));
    expect(await got.Body?.transformToString()).toBe("");
    expect(got.ContentLength).toBe(0);
  });

  test("is found by the next start of the endpoint", async () => {
    const first = await startFixture();
    await first.client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "old", Metadata: { n: "1" } }));
    await first.s3.close();
    const second = await startFixture(first.directory);
    const got = await second.client.send(new GetObjectCommand({ Bucket, Key: "k" }));
    expect(await got.Body?.transformToString()).toBe("old");
    expect(got.Metadata).toEqual({ n: "1" });
  });

  test("is another one in each bucket", async () => {
    const { client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "one" }));
    await client.send(new PutObjectCommand({ Bucket: "other", Key: "k", Body: "two" }));
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "k" }));
    expect(await got.Body?.transformToString()).toBe("one");
  });

  test("can be larger than memory-bound servers take, as a stream", async () => {
    const { client } = await startFixture();
    const part = randomBytes(1024 * 1024);
    const Body = Readable.from(Array.from({ length: 24 }, () => part));
    await client.send(new PutObjectCommand({ Bucket, Key: "big", Body, ContentLength: 24 * part.length }));
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "big" }));
    const hash = createHash("md5");
    for await (const chunk of got.Body instanceof Readable ? got.Body : []) hash.update(chunk);
    expect(got.ETag).toBe(`"${hash.digest("hex")}"`);
  });
});

describe("a streamed body", () => {
  for (const algorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"] satisfies ChecksumAlgorithm[]) {
    test(`is stored without its framing after its ${algorithm} trailer is checked`, async () => {
      const { client } = await startFixture();
      const chunks = [randomBytes(9000), randomBytes(100)];
      const put = new PutObjectCommand({
        Bucket,
        Key: "s",
        Body: Readable.from(chunks),
        ContentLength: 9100,
        ChecksumAlgorithm: algorithm,
      });
      const answer = await client.send(put);
      expect(answer).toMatchObject({
        [`Checksum${algorithm}`]: expect.any(String),
        ChecksumType: "FULL_OBJECT",
      });
      // The client checks the checksum of what it reads.
      const got = await client.send(new GetObjectCommand({ Bucket, Key: "s", ChecksumMode: "ENABLED" }));
      expect(Buffer.from((await got.Body?.transformToByteArray()) ?? [])).toEqual(Buffer.concat(chunks));
      expect(got.ContentEncoding).toBeUndefined();
    });
  }

  test("with a chunk under 8 KiB before the last is refused as S3 refuses it", async () => {
    const { client } = await startFixture();
    const Body = Readable.from([Buffer.alloc(100), Buffer.alloc(100)]);
    const put = client.send(new PutObjectCommand({ Bucket, Key: "s", Body, ContentLength: 200 }));
    expect(await refusalOf(put)).toEqual({ status: 403, code: "InvalidChunkSizeError" });
  });
});

describe("a missing thing", () => {
  test("is NoSuchKey on a get, 404 on a head, NoSuchBucket without the bucket", async () => {
    const { client } = await startFixture();
    expect(await refusalOf(client.send(new GetObjectCommand({ Bucket, Key: "x" })))).toEqual({
      status: 404,
      code: "NoSuchKey",
    });
    expect(await refusalOf(client.send(new HeadObjectCommand({ Bucket, Key: "x" })))).toEqual({
      status: 404,
      code: "NotFound",
    });
    expect(await refusalOf(client.send(new GetObjectCommand({ Bucket: "nobody", Key: "x" })))).toEqual({
      status: 404,
      code: "NoSuchBucket",
    });
  });

  test("is deleted without complaint", async () => {
    const { client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "x", Body: "x" }));
    for (let time = 0; time < 2; time++) {
      const answer = await client.send(new DeleteObjectCommand({ Bucket, Key: "x" }));
      expect(answer.$metadata.httpStatusCode).toBe(204);
    }
    expect((await refusalOf(client.send(new GetObjectCommand({ Bucket, Key: "x" })))).code).toBe("NoSuchKey");
  });
});

test("deletes many keys at once, the missing ones included", async () => {
  const { client } = await startFixture();
  const keys = ["plain", "a&<b>'\"", "sp ace", "../up", "ünï/𝄞", "line\nbreak"];
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
  const Objects = [...keys, "missing"].map((Key) => ({ Key }));
  const answer = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(answer.Deleted?.map(({ Key }) => Key)).toEqual([...keys, "missing"]);
  expect(answer.Errors ?? []).toEqual([]);
  for (const Key of keys) {
    expect((await refusalOf(client.send(new HeadObjectCommand({ Bucket, Key })))).code).toBe("NotFound");
  }
});

test("says nothing of deleted keys when asked to be quiet", async () => {
  const { client } = await startFixture();
  const Delete = { Objects: [{ Key: "a" }], Quiet: true };
  expect((await client.send(new DeleteObjectsCommand({ Bucket, Delete }))).Deleted).toBeUndefined();
});

test("counts requests by kind", async () => {
  const { client, s3 } = await startFixture();
  await client.send(new PutObjectCommand({ Bucket, Key: "a", Body: "x" }));
  await client.send(new GetObjectCommand({ Bucket, Key: "a" }));
  await client.send(new HeadObjectCommand({ Bucket, Key: "a" }));
  await client.send(new DeleteObjectCommand({ Bucket, Key: "a" }));
  await refusalOf(client.send(new GetObjectCommand({ Bucket, Key: "a" })));
  expect(s3.counts).toEqual({ put: 1, get: 2, head: 1, delete: 1, list: 0 });
});

test("says NotImplemented to what it does not know instead of ignoring it", async () => {
  const { s3 } = await startFixture();
  const unknown: [method: string, path: string, headers?: Record<string, string>][] = [
    ["GET", "/"],
    ["PUT", "/blobs"],
    ["GET", "/blobs"],
    ["GET", "/blobs?versions"],
    ["POST", "/blobs/a?uploads"],
    ["PUT", "/blobs/a?partNumber=1&uploadId=1"],
    ["GET", "/blobs/a?versionId=1"],
    ["GET", "/blobs?list-type=2&encoding-type=url"],
    ["PUT", "/blobs/a", { "x-amz-copy-source": "/blobs/b" }],
    ["PUT", "/blobs/a", { "x-amz-tagging": "a=b" }],
    ["PUT", "/blobs/a", { "x-amz-server-side-encryption": "aws:kms" }],
    ["PUT", "/blobs/a", { "x-amz-checksum-xxhash64": "AAAAAAAAAAA=" }],
    ["PUT", "/blobs/a", { "if-none-match": '"abc"' }],
    ["DELETE", "/blobs/a", { "if-match": '"abc"' }],
  ];
  for (const [method, path, headers] of unknown) {
    const answer = await raw(s3.url, method, path, { "content-length": "0", ...headers });
    expect([path, answer.status, codeOf(answer)]).toEqual([path, 501, "NotImplemented"]);
  }
});
