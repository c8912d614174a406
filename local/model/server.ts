/**
 * A scripted model behind the wire protocols of both providers, so that the official SDKs run against it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { modelCall } from "./answer.ts";
import { anthropicWire } from "./anthropic.ts";
import { openaiWire } from "./openai.ts";
import { createRecorder, type RecordedRequest } from "./record.ts";
import { type Reply, type Respond, type Wire, WireProblem } from "./reply.ts";
import { createSeals } from "./seals.ts";
import { sendReply } from "./send.ts";

/** Requests that are kept when nothing else is asked for. */
const DEFAULT_KEEP = 100;

const tooLarge = new WireProblem(413, {
  type: "request_too_large",
  message: "Request exceeds the maximum size",
});

const routes: ReadonlyMap<string, Wire> = new Map([
  ["/v1/responses", openaiWire],
  ["/responses", openaiWire],
  ["/v1/messages", anthropicWire],
  ["/messages", anthropicWire],
]);

export type ModelServerOptions = {
  readonly respond: Respond;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Number of latest requests that stay in `requests`. Default 100. */
  readonly keep?: number;
};

export type ModelServer = {
  readonly url: string;
  /** For `OPENAI_BASE_URL`. */
  readonly openaiBaseUrl: string;
  /** For `ANTHROPIC_BASE_URL`. */
  readonly anthropicBaseUrl: string;
  /** The latest requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Refuses from now on the reasoning that was sealed before, as a provider does that has changed its keys. */
  rotateSeals(): void;
  /** Cuts every open connection and stops listening. */
  close(): Promise<void>;
};

/** Starts the server; resolves when it listens. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const recorder = createRecorder(options.keep ?? DEFAULT_KEEP);
  const seals = createSeals();
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // Nothing useful can be said to a client whose request cannot even be read.
      response.destroy(error instanceof Error ? error : undefined);
    });
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const wire = routes.get(path);
    const body = await readBody(request, wire?.bodyLimit ?? 0);
    if (wire === undefined || request.method !== "POST")
      return notFound(response, request.method ?? "", path);
    if (body === null) return refuse(wire, response, tooLarge);
    const record = recorder.add(wire.provider, body, request.headers, response);
    try {
      checkKey(wire, request);
      const asked = wire.read(record.parsed, seals);
      const reply = await options.respond(modelCall(asked, record.attempt, record.parsed));
      const size = { bytes: body.length, cachedBytes: record.cachedBytes };
      await sendReply({ wire, request: asked, response, seals, ...size }, reply);
    } catch (error) {
      refuse(wire, response, error);
    }
  }

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(options.port ?? 0, options.host ?? "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the model server has no port");
  const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
  const url = `http://${host}:${address.port}`;
  return {
    url,
    openaiBaseUrl: `${url}/v1`,
    anthropicBaseUrl: url,
    requests: recorder.requests,
    rotateSeals: seals.rotate,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The whole body, or null when it is too large; what is too large is read to its end but not kept. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size <= limit) parts.push(part);
  }
  return size <= limit ? Buffer.concat(parts) : null;
}

function checkKey(wire: Wire, request: IncomingMessage): void {
  const bearer = /^Bearer \S+$/.test(request.headers.authorization ?? "");
  if (bearer || (wire.provider === "anthropic" && request.headers["x-api-key"])) return;
  throw wire.provider === "openai"
    ? new WireProblem(401, { type: "invalid_request_error", message: "You didn't provide an API key." })
    : new WireProblem(401, { type: "authentication_error", message: "x-api-key header is required" });
}

function notFound(response: ServerResponse, method: string, path: string): void {
  response.writeHead(404, { "content-type": "application/json" });
  const message = `Unknown request URL: ${method} ${path}`;
  response.end(
    JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code: null } }),
  );
}

function refuse(wire: Wire, response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const problem =
    error instanceof WireProblem
      ? error
      : new WireProblem(500, { type: "api_error", message: String(error) });
  response.writeHead(problem.status, { "content-type": "application/json" });
  response.end(JSON.stringify(wire.error(problem.body)));
}

export type { RecordedRequest, Reply, Respond };
