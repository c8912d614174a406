import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, test } from "vitest";
import { BUCKET, codeOf, raw, SECRET, startFixture } from "./s3-harness.ts";

const Bucket = BUCKET;

type Signing = {
  readonly method?: string;
  readonly key: string;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly secret?: string;
  readonly signingDate?: Date;
  readonly expiresIn?: number;
};

/** The path and query of a presigned URL, made by the SDK's signer. */
async function presign(url: string, signing: Signing): Promise<string> {
  const signer = new SignatureV4({
    service: "s3",
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: signing.secret ?? SECRET },
    sha256: Sha256,
    uriEscapePath: false,
  });
  const { host, hostname, port } = new URL(url);
  const path = `/${BUCKET}/${signing.key
    .split("/")
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join("/")}`;
  const request = {
    method: signing.method ?? "GET",
    protocol: "http:",
    hostname,
    port: Number(port),
    path,
    query: signing.query ?? {},
    headers: { host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", ...signing.headers },
  };
  const options = { expiresIn: signing.expiresIn ?? 900, signingDate: signing.signingDate ?? new Date() };
  const { query = {} } = await signer.presign(request, options);
  const encoded = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return `${path}?${encoded.join("&")}`;
}

describe("a presigned GET", () => {
  for (const key of ["plain", "dir/sp ace+plus%25", "ünï/日本/𝄞", "a!b'c(d)e*f~g", "../up//x"]) {
    test(`of ${key} sends the object`, async () => {
      const { s3, client } = await startFixture();
      await client.send(new PutObjectCommand({ Bucket, Key: key, Body: "body" }));
      const answer = await raw(s3.url, "GET", await presign(s3.url, { key }));
      expect([answer.status, answer.body]).toEqual([200, "body"]);
    });
  }

  test("can name the type and the file name of the answer", async () => {
    const { s3, client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "body", ContentType: "text/html" }));
    const query = {
      "response-content-type": "text/plain",
      "response-content-disposition": "attachment; filename*=UTF-8''%C3%BC b.txt",
    };
    const answer = await raw(s3.url, "GET", await presign(s3.url, { key: "k", query }));
    expect(answer.headers).toMatchObject({
      "content-type": "text/plain",
      "content-disposition": "attachment; filename*=UTF-8''%C3%BC b.txt",
    });
  });

  test("serves ranges and HEAD only when signed for it", async () => {
    const { s3, client } = await startFixture();
    await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "body" }));
    const path = await presign(s3.url, { key: "k" });
    expect((await raw(s3.url, "GET", path, { range: "bytes=1-2" })).body).toBe("od");
    expect((await raw(s3.url, "HEAD", path)).status).toBe(403);
    expect((await raw(s3.url, "HEAD", await presign(s3.url, { key: "k", method: "HEAD" }))).status).toBe(200);
  });
});

describe("a presigned PUT", () => {
  test("stores the body with signed type and metadata", async () => {
    const { s3, client } = await startFixture();
    const headers = { "content-type": "text/plain", "x-amz-meta-owner": "ü1" };
    const path = await presign(s3.url, { method: "PUT", key: "k", headers });
    const sent = { "content-type": "text/plain", "content-length": "4" };
    expect((await raw(s3.url, "PUT", path, sent, "body")).status).toBe(200);
    const got = await client.send(new GetObjectCommand({ Bucket, Key: "k" }));
    expect(await got.Body?.transformToString()).toBe("body");
    expect(got.ContentType).toBe("text/plain");
    expect(Buffer.from(got.Metadata?.["owner"] ?? "", "latin1").toString()).toBe("ü1");
  });

  test("is not checked against the checksum of the empty body that was signed without one", async () => {
    const { s3 } = await startFixture();
    const headers = { "x-amz-checksum-crc32": "AAAAAA==", "x-amz-sdk-checksum-algorithm": "CRC32" };
    const path = await presign(s3.url, { method: "PUT", key: "k", headers });
    expect(path).toContain("x-amz-checksum-crc32=AAAAAA%3D%3D");
    expect((await raw(s3.url, "PUT", path, { "content-length": "4" }, "body")).status).toBe(200);
  });

  test("with another type than the signed one is refused", async () => {
    const { s3 } = await startFixture();
    const path = await presign(s3.url, {
      method: "PUT",
      key: "k",
      headers: { "content-type": "text/plain" },
    });
    const sent = { "content-type": "text/html", "content-length": "4" };
    expect(codeOf(await raw(s3.url, "PUT", path, sent, "body"))).toBe("SignatureDoesNotMatch");
  });

  test("with an x-amz header that was not signed is refused", async () => {
    const { s3 } = await startFixture();
    const path = await presign(s3.url, { method: "PUT", key: "k" });
    const sent = { "x-amz-meta-owner": "me", "content-length": "4" };
    expect(codeOf(await raw(s3.url, "PUT", path, sent, "body"))).toBe("AccessDenied");
  });
});

describe("a presigned URL is refused", () => {
  const MINUTE = 60_000;
  const refusals: [title: string, change: (url: string) => Promise<string>, status: number, code: string][] =
    [
      [
        "when it has expired",
        (url) => presign(url, { key: "k", expiresIn: 60, signingDate: new Date(Date.now() - 2 * MINUTE) }),
        403,
        "AccessDenied",
      ],
      [
        "when it is of the future",
        (url) => presign(url, { key: "k", signingDate: new Date(Date.now() + 20 * MINUTE) }),
        403,
        "AccessDenied",
      ],
      [
        "when another secret signed it",
        (url) => presign(url, { key: "k", secret: "x" }),
        403,
        "SignatureDoesNotMatch",
      ],
      [
        "for another method",
        (url) => presign(url, { key: "k", method: "PUT" }),
        403,
        "SignatureDoesNotMatch",
      ],
      [
        "for another key",
        async (url) => (await presign(url, { key: "other" })).replace("/other?", "/k?"),
        403,
        "SignatureDoesNotMatch",
      ],
      [
        "with a longer life than was signed",
        async (url) => (await presign(url, { key: "k" })).replace("X-Amz-Expires=900", "X-Amz-Expires=901"),
        403,
        "SignatureDoesNotMatch",
      ],
      [
        "with a parameter that was not signed",
        async (url) => `${await presign(url, { key: "k" })}&response-content-type=text/html`,
        403,
        "SignatureDoesNotMatch",
      ],
      [
        "with a life over a week",
        async (url) =>
          (await presign(url, { key: "k" })).replace("X-Amz-Expires=900", "X-Amz-Expires=604801"),
        400,
        "AuthorizationQueryParametersError",
      ],
      [
        "without its signature",
        async (url) => (await presign(url, { key: "k" })).replace(/X-Amz-Signature=\w+/, ""),
        400,
        "AuthorizationQueryParametersError",
      ],
      [
        "with a signature of another form",
        async (url) =>
          (await presign(url, { key: "k" })).replace(/X-Amz-Signature=\w+/, "X-Amz-Signature=zz"),
        400,
        "AuthorizationQueryParametersError",
      ],
    ];
  for (const [title, change, status, code] of refusals) {
    test(title, async () => {
      const { s3, client } = await startFixture();
      await client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "body" }));
      const answer = await raw(s3.url, "GET", await change(s3.url));
      expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    });
  }

  test("beside an Authorization header", async () => {
    const { s3 } = await startFixture();
    const answer = await raw(s3.url, "GET", await presign(s3.url, { key: "k" }), { authorization: "AWS4" });
    expect(codeOf(answer)).toBe("InvalidRequest");
  });
});
