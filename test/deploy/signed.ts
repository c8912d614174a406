import { createHash, createHmac } from "node:crypto";
import { request } from "node:http";
import { SignatureV4 } from "@smithy/signature-v4";
import { region } from "./emulator.ts";

export type AwsKey = { readonly accessKeyId: string; readonly secretAccessKey: string };

export type SignedRequest = {
  readonly key: AwsKey;
  readonly service: string;
  readonly method: "GET" | "POST";
  /** Where it goes; `host` is what it is signed for, unless it is the same. */
  readonly url: string;
  readonly host?: string;
  readonly contentType?: string;
  readonly body?: string;
};

/** SHA-256, or HMAC with it, as the signer asks for it. */
class Sha256 {
  private readonly hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytes(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(bytes(data));
  }
  reset(): void {
    throw new Error("a hash is used once");
  }
  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

function bytes(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === "string") return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** Signs as the SDK does and sends. `fetch` would not: it has no say in the host's name. */
export async function sendSigned(asked: SignedRequest): Promise<{ status: number; text: string }> {
  const { protocol, hostname, port, pathname, searchParams } = new URL(asked.url);
  const signer = new SignatureV4({ credentials: asked.key, region, service: asked.service, sha256: Sha256 });
  const { method, headers } = await signer.sign({
    method: asked.method,
    protocol,
    hostname,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: {
      host: asked.host ?? `${hostname}:${port}`,
      ...(asked.contentType === undefined ? {} : { "content-type": asked.contentType }),
    },
    ...(asked.body === undefined ? {} : { body: asked.body }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request(asked.url, { method, headers }, async (answer) => {
    const text = await answer.setEncoding("utf8").reduce((all, part: string) => all + part, "");
    resolve({ status: answer.statusCode ?? 0, text });
  });
  sent.once("error", reject);
  sent.end(asked.body);
  return promise;
}
