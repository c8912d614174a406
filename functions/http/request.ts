import * as z from "zod";

/** What we read of API Gateway's REST proxy event. */
export const ProxyEvent = z.object({
  httpMethod: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string().optional()).nullish(),
  multiValueQueryStringParameters: z.record(z.string(), z.array(z.string()).optional()).nullish(),
  body: z.string().nullish(),
  isBase64Encoded: z.boolean().default(false),
  requestContext: z.object({
    requestId: z.string(),
    /** With the stage in front, which `path` leaves out. */
    path: z.string().optional(),
    identity: z.object({ userArn: z.string().nullish() }).default({}),
  }),
});
export type ProxyEvent = z.infer<typeof ProxyEvent>;

/** A request as our code sees it. */
export type HttpRequest = {
  readonly method: string;
  /** What follows `/v1`; null for a path outside of it. */
  readonly path: string | null;
  readonly query: readonly (readonly [string, string])[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly requestId: string;
  /** Sent to the operators' root, where nothing but a signature is a credential. */
  readonly forOperators: boolean;
  /** The AWS principal that signed the request, under the operators' root only. */
  readonly operator: string | null;
  readonly baseUrl: string;
};

const root = /^(\/aws)?\/v1(\/.*)?$/s;

export function toRequest(event: ProxyEvent): HttpRequest {
  const headers = lowerCase(event.headers ?? {});
  const [matched, operators, path] = root.exec(event.path) ?? [];
  const { requestId, identity } = event.requestContext;
  const scheme = headers["x-forwarded-proto"] ?? "https";
  return {
    method: event.httpMethod,
    path: matched === undefined ? null : (path ?? "/"),
    query: pairs(event.multiValueQueryStringParameters ?? {}),
    headers,
    body: bodyBytes(event),
    requestId,
    forOperators: operators !== undefined,
    operator: operators === undefined ? null : (identity.userArn ?? null),
    baseUrl: `${scheme}://${headers["host"] ?? "localhost"}${stage(event)}/v1`,
  };
}

function stage({ path, requestContext }: ProxyEvent): string {
  const whole = requestContext.path ?? path;
  return whole.endsWith(path) ? whole.slice(0, whole.length - path.length) : "";
}

function lowerCase(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const known = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), value] as const],
  );
  return Object.fromEntries(known);
}

function pairs(query: Readonly<Record<string, readonly string[] | undefined>>): [string, string][] {
  return Object.entries(query).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
}

/** API Gateway hands bodies on in base64, since as text it would decode them by itself: see `binaryMediaTypes`. */
function bodyBytes({ body, isBase64Encoded }: ProxyEvent): Uint8Array | null {
  if (body === null || body === undefined || body === "") return null;
  return Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
}
