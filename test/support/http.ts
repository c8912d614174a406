import { ErrorEnvelope } from "../../contract/schemas/common.ts";

/** A request as it goes over the wire: nothing is added but what HTTP itself needs. */
export type Sent = {
  readonly method: string;
  /** Behind the base URL, query included. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
};

export type Received = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
};

export async function exchange(baseUrl: string, { method, path, headers, body }: Sent): Promise<Received> {
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: "error",
    ...(headers === undefined ? {} : { headers }),
    // Bytes, since fetch gives a text a media type of its own.
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Headers of a request with a JSON body. */
export const asJson = { "content-type": "application/json" } as const;

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Status and code of an error, after a check of its envelope and headers. */
export function refusalOf({ status, headers, text }: Received): { status: number; code: string } {
  if (headers.get("content-type") !== "application/json")
    throw new Error(
      `an answer ${status} has the media type ${headers.get("content-type")}: ${text.slice(0, 200)}`,
    );
  const { error } = ErrorEnvelope.parse(JSON.parse(text));
  if (headers.get("x-request-id") !== error.request_id)
    throw new Error(`the header names request ${headers.get("x-request-id")}, the body ${error.request_id}`);
  return { status, code: error.code };
}
