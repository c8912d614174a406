import { request } from "node:http";
import { Sha256 } from "@smithy/core/checksum";
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
