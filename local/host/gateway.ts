import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod";
import { type ErrorCode, errorBody, errors } from "../../contract/errors.ts";
import { answerBrokenRequests, hostProblem } from "./broken-requests.ts";
import type { Lambdas } from "./lambda.ts";
import { asOperators, isOperators } from "./operator.ts";
import { responseStream } from "./response-stream.ts";

const STREAM_PATH = /^\/v1\/sessions\/[^/]+\/events\/stream$/;
/** The reference's limit of a JSON body, and a little for a multipart's own lines. */
const LARGEST_BODY = 16 * 1024 * 1024 + 64 * 1024;

const ProxyResponse = z.object({
  statusCode: z.int(),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().default(""),
});

export type Gateway = { readonly url: string; close(): Promise<void> };

/** The laptop's API Gateway: HTTP in, REST proxy events to the same handlers that AWS runs. */
export async function startGateway(options: {
  readonly lambdas: Lambdas;
  readonly host: string;
  readonly port: number;
  /** The bearer that stands for a request signed with AWS credentials. */
  readonly dashboard: string;
  /** Answers of the host itself, by path. */
  readonly own: ReadonlyMap<string, () => unknown>;
}): Promise<Gateway> {
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    serve(options, request, response).catch((error: unknown) => {
      // Who leaves in the middle of a request is nobody's failure.
      if (error === request.errored) return;
      console.error(JSON.stringify({ level: "error", message: "gateway", error: String(error) }));
      if (response.headersSent) response.destroy();
      else fail(response, randomUUID(), "internal_error");
    });
  });
  answerBrokenRequests(server);
  await listen(server, options.port, options.host);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

async function serve(
  { lambdas, own, dashboard }: Pick<Parameters<typeof startGateway>[0], "lambdas" | "own" | "dashboard">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const hostless = hostProblem(request);
  if (hostless !== null) return send(response, hostless.status, hostless.body, hostless.headers);
  const requestId = randomUUID();
  const { pathname, searchParams } = target(request.url ?? "/");
  const answer = request.method === "GET" ? own.get(pathname) : undefined;
  if (answer !== undefined) return send(response, 200, JSON.stringify(answer()));
  const body = await readBody(request);
  if (body === null) return fail(response, requestId, "request_too_large");
  const sent = proxyEvent(request, { pathname, searchParams, requestId, body });
  const event = isOperators(sent, dashboard) ? asOperators(sent) : sent;
  if (request.method === "GET" && STREAM_PATH.test(pathname)) return stream(lambdas, event, response);
  const { statusCode, headers, body: text } = ProxyResponse.parse(await lambdas.invoke("api", event));
  response.writeHead(statusCode, headers).end(text);
}

/** Path and query as they were sent: a URL parser would resolve dots, turn backslashes and refuse some. */
function target(url: string): { pathname: string; searchParams: URLSearchParams } {
  const at = url.indexOf("?");
  return {
    pathname: at < 0 ? url : url.slice(0, at),
    searchParams: new URLSearchParams(at < 0 ? "" : url.slice(at + 1)),
  };
}

/** Null for a body that is too large; what follows of it is not kept. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= LARGEST_BODY) chunks.push(bytes);
  }
  return size > LARGEST_BODY ? null : Buffer.concat(chunks);
}

function proxyEvent(
  request: IncomingMessage,
  parts: { pathname: string; searchParams: URLSearchParams; requestId: string; body: Buffer },
) {
  const names = [...new Set(parts.searchParams.keys())];
  return {
    httpMethod: request.method ?? "GET",
    path: parts.pathname,
    headers: { "x-forwarded-proto": "http", ...joined(request) },
    multiValueQueryStringParameters: Object.fromEntries(
      names.map((name) => [name, parts.searchParams.getAll(name)]),
    ),
    body: parts.body.length === 0 ? null : parts.body.toString("base64"),
    isBase64Encoded: parts.body.length > 0,
    requestContext: { requestId: parts.requestId, path: parts.pathname, identity: { userArn: null } },
  };
}

function joined({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value] as const],
    ),
  );
}

async function stream(lambdas: Lambdas, event: unknown, response: ServerResponse): Promise<void> {
  const output = responseStream(({ statusCode, headers }) => {
    response.writeHead(statusCode, headers);
    response.flushHeaders();
  }, response);
  response.once("close", () => output.destroy());
  // A client that leaves ends the function here; a failure in mid-stream cuts the connection, as on AWS.
  await lambdas.stream("stream", event, output).catch((error: unknown) => {
    if (!response.destroyed)
      console.error(JSON.stringify({ level: "error", message: "stream", error: String(error) }));
    response.destroy();
  });
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

function fail(response: ServerResponse, requestId: string, code: ErrorCode): void {
  const headers = { "x-request-id": requestId };
  send(response, errors[code].status, JSON.stringify(errorBody(code, "", requestId)), headers);
}
