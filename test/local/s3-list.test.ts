import {
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareKeys } from "../../local/s3/key-index.ts";
import { BUCKET, refusalOf, startFixture } from "./s3-harness.ts";

const Bucket = BUCKET;

async function putAll(client: S3Client, keys: readonly string[]): Promise<void> {
  for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
}

/** All pages of a listing, put together; pages hold at most `MaxKeys` entries. */
async function listAll(client: S3Client, input: Omit<ListObjectsV2CommandInput, "Bucket">) {
  const keys: string[] = [];
  const prefixes: string[] = [];
  let ContinuationToken: string | undefined;
  do {
    const next = ContinuationToken === undefined ? {} : { ContinuationToken };
    const page = await client.send(new ListObjectsV2Command({ Bucket, ...input, ...next }));
    const entries = (page.Contents?.length ?? 0) + (page.CommonPrefixes?.length ?? 0);
    expect(page.KeyCount).toBe(entries);
    expect(entries).toBeLessThanOrEqual(input.MaxKeys ?? 1000);
    expect(page.IsTruncated).toBe(page.NextContinuationToken !== undefined);
    keys.push(...(page.Contents ?? []).map(({ Key = "" }) => Key));
    prefixes.push(...(page.CommonPrefixes ?? []).map(({ Prefix = "" }) => Prefix));
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return { keys, prefixes };
}

const KEYS = ["a", "a/1", "a/2", "a/b/1", "b", "c/1", "c/2", "c/3", "d+e%20 f", "z&<>'\"é"];

describe("a listing", () => {
  test("holds every key once, in order, whatever the page size", async () => {
    const { client } = await startFixture();
    await putAll(client, KEYS.toReversed());
    for (const MaxKeys of [1, 2, 3, 100]) expect((await listAll(client, { MaxKeys })).keys).toEqual(KEYS);
  });

  test("is kept to a prefix and folded at a delimiter", async () => {
    const { client } = await startFixture();
    await putAll(client, KEYS);
    for (const MaxKeys of [1, 2, 100]) {
      expect(await listAll(client, { MaxKeys, Prefix: "a/" })).toEqual({
        keys: ["a/1", "a/2", "a/b/1"],
        prefixes: [],
      });
      expect(await listAll(client, { MaxKeys, Delimiter: "/" })).toEqual({
        keys: ["a", "b", "d+e%20 f", "z&<>'\"é"],
        prefixes: ["a/", "c/"],
      });
      expect(await listAll(client, { MaxKeys, Prefix: "a/", Delimiter: "/" })).toEqual({
        keys: ["a/1", "a/2"],
        prefixes: ["a/b/"],
      });
      expect(await listAll(client, { MaxKeys, Prefix: "d+e%20 " })).toEqual({
        keys: ["d+e%20 f"],
        prefixes: [],
      });
    }
  });

  test("starts after the key it is given", async () => {
    const { client } = await startFixture();
    await putAll(client, KEYS);
    expect((await listAll(client, { StartAfter: "b", MaxKeys: 2 })).keys).toEqual(KEYS.slice(5));
    expect((await listAll(client, { StartAfter: "bb" })).keys).toEqual(KEYS.slice(5));
  });

  test("gives size, ETag and time of each object", async () => {
    const { client } = await startFixture();
    const { ETag } = await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "12345" }));
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
    expect(Contents).toEqual([
      { Key: "k", Size: 5, ETag, LastModified: expect.any(Date), StorageClass: "STANDARD" },
    ]);
  });

  test("of no keys is empty and whole", async () => {
    const { client } = await startFixture();
    await putAll(client, ["a"]);
    const page = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 0 }));
    expect([page.KeyCount, page.IsTruncated]).toEqual([0, false]);
    expect(await listAll(client, { Prefix: "nothing" })).toEqual({ keys: [], prefixes: [] });
  });

  test("is the same after a restart", async () => {
    const first = await startFixture();
    await putAll(first.client, KEYS);
    await first.s3.close();
    const second = await startFixture(first.directory);
    expect((await listAll(second.client, { MaxKeys: 3 })).keys).toEqual(KEYS);
  });

  test("refuses a token that it did not give and a size that is no number", async () => {
    const { client } = await startFixture();
    const list = (input: { ContinuationToken?: string; MaxKeys?: number }) =>
      refusalOf(client.send(new ListObjectsV2Command({ Bucket, ...input })));
    expect((await list({ ContinuationToken: "nonsense" })).code).toBe("InvalidArgument");
    expect((await list({ MaxKeys: -1 })).code).toBe("InvalidArgument");
    expect((await refusalOf(client.send(new ListObjectsV2Command({ Bucket: "nobody" })))).code).toBe(
      "NoSuchBucket",
    );
  });
});

test("keys are ordered by their UTF-8 bytes", () => {
  const text = fc.string({ unit: "binary", maxLength: 4 });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});
