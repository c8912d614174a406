import type { IncomingMessage } from "node:http";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";

export const key = {
  accessKeyId: "AKIDSTEPYARD",
  secretAccessKey: "a-secret-that-no-request-holds",
} as const;
export const credentials = { AWS_ACCESS_KEY_ID: key.accessKeyId, AWS_SECRET_ACCESS_KEY: key.secretAccessKey };

export type Scope = { readonly region: string; readonly service: string; readonly sessionToken?: string };

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** True when the request, as it came in, was signed with the key for the scope: the signature is computed anew. */
export async function isSigned(request: IncomingMessage, body: string, scope: Scope): Promise<boolean> {
  const { headers, method = "" } = request;
  const [, id, , region, service, names = ""] = form.exec(headers.authorization ?? "") ?? [];
  if (id !== key.accessKeyId || region !== scope.region || service !== scope.service) return false;
  const signed = Object.fromEntries(names.split(";").map((name) => [name, String(headers[name])]));
  const { pathname, searchParams, hostname } = new URL(`http://${headers.host}${request.url}`);
  const { sessionToken } = scope;
  const signer = new SignatureV4({
    credentials: sessionToken === undefined ? key : { ...key, sessionToken },
    region,
    service,
    sha256: Sha256,
  });
  const expected = await signer.sign(
    {
      method,
      protocol: "http:",
      hostname,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: signed,
      ...(body === "" ? {} : { body }),
    },
    { signingDate: dateOf(String(headers["x-amz-date"])) },
  );
  return expected.headers["authorization"] === headers.authorization;
}

/** `20261201T120000Z`, as requests are dated. */
function dateOf(text: string): Date {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
