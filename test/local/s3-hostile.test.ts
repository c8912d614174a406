import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { describe, expect, test } from "vitest";
import { BUCKET, codeOf, type Fixture, raw, refusalOf, startFixture } from "./s3-harness.ts";

const Bucket = BUCKET;
const PATIENCE = { timeout: 10_000 };

/** Every path below a directory. */
async function tree(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).toSorted();
}

async function expectNothingStored({ client, directory }: Fixture): Promise<void> {
  expect((await client.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(0);
  expect(await tree(directory)).toEqual(["incoming", "objects"]);
}

describe("a key", () => {
  const keys = [
    "../escape",
    "../../../../etc/passwd",
    "a/../../b",
    ".",
    "..",
    "/",
    "//double//",
    "/leading",
    "trailing/",
    "sp ace + plus % percent %2F %2e%2e",
    "ünïcode/日本/𝄞",
    "?query&a=b#hash;x",
    "back\\slash",
    "quote'\"<>&`",
    "new\nline\ttab",
    "x".repeat(1024),
    "(*)!~",
    "__proto__",
  ];
  for (const Key of keys) {
    test(`like ${JSON.stringify(Key.slice(0, 40))} is only a name`, async () => {
      const fixture = await startFixture();
      const { client, directory } = fixture;
      await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
      const got = await client.send(new GetObjectCommand({ Bucket, Key }));
      expect(await got.Body?.transformToString()).toBe(Key);
      const listed = await client.send(new ListObjectsV2Command({ Bucket }));
      expect(listed.Contents?.map((entry) => entry.Key)).toEqual([Key]);
      expect(await tree(directory)).toEqual([
        "incoming",
        "objects",
        expect.stringMatching(/^objects\/[0-9a-f]{64}$/),
      ]);
    });
  }

  test("sent without any encoding stays in the directory", async () => {
    const { s3, client, directory } = await startFixture();
    const answer = await raw(s3.url, "PUT", "/blobs/../../../escaped", { "content-length": "1" }, "x");
    expect(answer.status).toBe(200);
    const listed = await client.send(new ListObjectsV2Command({ Bucket }));
    expect(listed.Contents?.map((entry) => entry.Key)).toEqual(["../../../escaped"]);
    expect(await tree(directory)).toHaveLength(3);
  });

  test("over 1,024 bytes, badly encoded or in no bucket is refused", async () => {
    const fixture = await startFixture();
    const put = async (path: string) =>
      codeOf(await raw(fixture.s3.url, "PUT", path, { "content-length": "0" }));
    expect(await put(`/blobs/${"%C3%BC".repeat(513)}`)).toBe("KeyTooLongError");
    expect(await put("/blobs/%zz")).toBe("InvalidURI");
    expect(await put("/blobs/%ff")).toBe("InvalidURI");
    expect(await put("/../x")).toBe("NoSuchBucket");
    expect(await put("/__proto__/x")).toBe("NoSuchBucket");
    await expectNothingStored(fixture);
  });
});

describe("a body with a wrong", () => {
  const wrong: [name: string, headers: Record<string, string>, code: string][] = [
    ["CRC32", { "x-amz-checksum-crc32": "AAAAAA==" }, "BadDigest"],
    ["CRC32C", { "x-amz-checksum-crc32c": "AAAAAA==" }, "BadDigest"],
    ["CRC64NVME", { "x-amz-checksum-crc64nvme": "AAAAAAAAAAA=" }, "BadDigest"],
    ["SHA-1", { "x-amz-checksum-sha1": Buffer.alloc(20).toString("base64") }, "BadDigest"],
    ["SHA-256", { "x-amz-checksum-sha256": Buffer.alloc(32).toString("base64") }, "BadDigest"],
    ["Content-MD5", { "content-md5": Buffer.alloc(16).toString("base64") }, "BadDigest"],
    ["signed SHA-256", { "x-amz-content-sha256": "0".repeat(64) }, "XAmzContentSHA256Mismatch"],
    ["form of checksum", { "x-amz-checksum-crc32": "nonsense" }, "InvalidRequest"],
    ["form of Content-MD5", { "content-md5": "nonsense" }, "InvalidDigest"],
    ["form of signed hash", { "x-amz-content-sha256": "nonsense" }, "InvalidArgument"],
  ];
  for (const [name, headers, code] of wrong) {
    test(`${name} is ${code} and not stored`, async () => {
      const fixture = await startFixture();
      const answer = await raw(
        fixture.s3.url,
        "PUT",
        "/blobs/k",
        { ...headers, "content-length": "5" },
        "hello",
      );
      expect([answer.status, codeOf(answer)]).toEqual([400, code]);
      await expectNothingStored(fixture);
    });
  }

  test("checksum from the SDK leaves what was there before", async () => {
    const { client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "old" }));
    const put = client.send(
      new PutObjectCommand({ Bucket, Key: "k", Body: "new", ChecksumCRC32: "AAAAAA==" }),
    );
    expect(await refusalOf(put)).toEqual({ status: 400, code: "BadDigest" });
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "k" }));
    expect(await got.Body?.transformToString()).toBe("old");
  });
});

describe("an aws-chunked body", () => {
  const CRC = "x-amz-checksum-crc32:NhCmhg==\r\n";
  const bodies: [title: string, body: string, code: string | undefined][] = [
    ["that is whole is stored", `5\r\nhello\r\n0\r\n${CRC}\r\n`, undefined],
    [
      "with chunk signatures is stored",
      `5;chunk-signature=ab\r\nhello\r\n0;chunk-signature=cd\r\n${CRC}\r\n`,
      undefined,
    ],
    [
      "with a wrong trailer is refused",
      "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n",
      "BadDigest",
    ],
    ["without the announced trailer is refused", "5\r\nhello\r\n0\r\n\r\n", "MalformedTrailerError"],
    [
      "with a trailer that is none is refused",
      "5\r\nhello\r\n0\r\nnonsense\r\n\r\n",
      "MalformedTrailerError",
    ],
    ["cut in a chunk is refused", "5\r\nhel", "IncompleteBody"],
    ["cut before its end is refused", "5\r\nhello\r\n", "IncompleteBody"],
    ["cut in its trailer is refused", "5\r\nhello\r\n0\r\nx-amz-che", "IncompleteBody"],
    ["shorter than announced is refused", `4\r\nhell\r\n0\r\n${CRC}\r\n`, "IncompleteBody"],
    ["longer than announced is refused", `6\r\nhello!\r\n0\r\n${CRC}\r\n`, "IncompleteBody"],
    ["with a chunk longer than its size is refused", `4\r\nhello\r\n0\r\n${CRC}\r\n`, "InvalidRequest"],
    ["with a size that is no number is refused", `-5\r\nhello\r\n0\r\n${CRC}\r\n`, "InvalidRequest"],
    ["with an endless size line is refused", "5".repeat(10_000), "InvalidRequest"],
    ["followed by more bytes is refused", `5\r\nhello\r\n0\r\n${CRC}\r\nmore`, "InvalidRequest"],
    ["that is not framed at all is refused", "hello", "IncompleteBody"],
  ];
  for (const [title, body, code] of bodies) {
    test(title, async () => {
      const fixture = await startFixture();
      const headers = {
        "content-length": String(body.length),
        "content-encoding": "gzip,aws-chunked",
        "x-amz-content-sha256": "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        "x-amz-decoded-content-length": "5",
        "x-amz-trailer": "x-amz-checksum-crc32",
      };
      const answer = await raw(fixture.s3.url, "PUT", "/blobs/k", headers, body);
      expect(codeOf(answer)).toBe(code);
      if (code !== undefined) return await expectNothingStored(fixture);
      const got = await raw(fixture.s3.url, "GET", "/blobs/k");
      expect([got.body, got.headers["content-encoding"]]).toEqual(["hello", "gzip"]);
    });
  }
});

describe("a body", () => {
  test("without a length is refused", async () => {
    const fixture = await startFixture();
    const answer = await raw(fixture.s3.url, "PUT", "/blobs/k", { "transfer-encoding": "chunked" }, "x");
    expect([answer.status, codeOf(answer)]).toEqual([411, "MissingContentLength"]);
    await expectNothingStored(fixture);
  });

  test("over 64 MiB is EntityTooLarge before it is sent", async () => {
    const fixture = await startFixture();
    const headers = { "content-length": String(64 * 1024 * 1024 + 1), expect: "100-continue" };
    const answer = await raw(fixture.s3.url, "PUT", "/blobs/k", headers);
    expect([answer.status, codeOf(answer)]).toEqual([400, "EntityTooLarge"]);
    await expectNothingStored(fixture);
  });

  test("refused in its middle has its answer all the same, and the connection goes on", async () => {
    const fixture = await startFixture();
    const socket = connect(Number(new URL(fixture.s3.url).port), "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    const framing =
      "x-amz-content-sha256: STREAMING-UNSIGNED-PAYLOAD-TRAILER\r\nx-amz-decoded-content-length: 5\r\n";
    socket.write(`PUT /blobs/k HTTP/1.1\r\nhost: x\r\ncontent-length: 3000000\r\n${framing}\r\n`);
    socket.write(`nonsense\r\n${"x".repeat(2_999_990)}GET /blobs/k HTTP/1.1\r\nhost: x\r\n\r\n`);
    const codes = () =>
      Buffer.concat(chunks)
        .toString()
        .match(/(?<=<Code>)\w+/g);
    await expect.poll(codes, PATIENCE).toEqual(["InvalidRequest", "NoSuchKey"]);
    socket.destroy();
    await expectNothingStored(fixture);
  });

  test("whose sender goes away in the middle is forgotten", async () => {
    const fixture = await startFixture();
    const { port } = new URL(fixture.s3.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write("PUT /blobs/k HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n");
    socket.write("x".repeat(50_000));
    const incoming = join(fixture.directory, "incoming");
    await expect.poll(() => readdir(incoming), PATIENCE).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => readdir(incoming), PATIENCE).toHaveLength(0);
    await expectNothingStored(fixture);
  });

  test("with more than 2 KiB of user metadata is refused", async () => {
    const fixture = await startFixture();
    const Metadata = { big: "x".repeat(2048) };
    const put = fixture.client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x", Metadata }));
    expect(await refusalOf(put)).toEqual({ status: 400, code: "MetadataTooLarge" });
    await expectNothingStored(fixture);
  });
});

describe("a DeleteObjects document", () => {
  const md5 = async (body: string) => {
    const digest = await crypto.subtle.digest("SHA-256", Buffer.from(body));
    return {
      "content-length": String(body.length),
      "x-amz-checksum-sha256": Buffer.from(digest).toString("base64"),
    };
  };
  const documents: [title: string, body: string, code: string][] = [
    ["that is no XML is refused", "hello", "MalformedXML"],
    ["without objects is refused", "<Delete></Delete>", "MalformedXML"],
    ["with an empty key is refused", "<Delete><Object><Key></Key></Object></Delete>", "MalformedXML"],
    [
      "with entities of its own is refused",
      "<Delete><Object><Key>&x;</Key></Object></Delete>",
      "MalformedXML",
    ],
    [
      "with too many keys is refused",
      `<Delete>${"<Object><Key>a</Key></Object>".repeat(1001)}</Delete>`,
      "MalformedXML",
    ],
    [
      "that names versions is not understood",
      "<Delete><Object><Key>a</Key><VersionId>1</VersionId></Object></Delete>",
      "NotImplemented",
    ],
  ];
  for (const [title, body, code] of documents) {
    test(title, async () => {
      const { s3 } = await startFixture();
      expect(codeOf(await raw(s3.url, "POST", "/blobs?delete", await md5(body), body))).toBe(code);
    });
  }

  test("without a checksum is refused", async () => {
    const { s3, client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "a", Body: "x" }));
    const body = "<Delete><Object><Key>a</Key></Object></Delete>";
    const answer = await raw(
      s3.url,
      "POST",
      "/blobs?delete",
      { "content-length": String(body.length) },
      body,
    );
    expect(codeOf(answer)).toBe("InvalidRequest");
    expect((await client.send(new ListObjectsV2Command({ Bucket }))).KeyCount).toBe(1);
  });
});
