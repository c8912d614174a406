import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { S3Client, S3ServiceException } from "@aws-sdk/client-s3";
import { afterEach } from "vitest";
import { type S3Endpoint, startS3 } from "../../local/s3/server.ts";

export const BUCKET = "blobs";
export const SECRET = "local";

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs when the test is over, last registered first. */
export function onCleanup(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup);
}

/** A directory that goes away with the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "stepyard-s3-"));
  onCleanup(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The real SDK's client for an endpoint. */
export function clientFor(url: string): S3Client {
  const client = new S3Client({
    endpoint: url,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "local", secretAccessKey: SECRET },
    maxAttempts: 1,
  });
  onCleanup(async () => client.destroy());
  return client;
}

export type Fixture = { readonly s3: S3Endpoint; readonly client: S3Client; readonly directory: string };

/** An endpoint with the buckets `blobs` and `other`, and a client of it. */
export async function startFixture(directory?: string): Promise<Fixture> {
  const where = directory ?? (await temporaryDirectory());
  const s3 = await startS3({ directory: where, buckets: [BUCKET, "other"], secretAccessKey: SECRET });
  onCleanup(() => s3.close());
  return { s3, client: clientFor(s3.url), directory: where };
}

/** Status and code of the refusal that a call ends in. */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<{ status: number | undefined; code: string }> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error;
    return { status: error.$metadata.httpStatusCode, code: error.name };
  }
  throw new Error("The call was not refused");
}

export type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
};

/** One request as written: neither path nor body are touched on the way. */
export function raw(
  url: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body: Buffer | string = "",
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const call = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("error", reject);
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    call.on("error", reject);
    call.end(body);
  });
}

/** The error code in an XML answer. */
export function codeOf(answer: RawAnswer): string | undefined {
  return /<Code>(\w+)<\/Code>/.exec(answer.body)?.[1];
}
