import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, messageOf } from "./errors.ts";
import type { ApiOperation } from "./protocol.ts";

const targetPrefix = "AWSStepFunctions.";
// An input of 262,144 characters may take six bytes a character as escaped JSON inside JSON.
const maximumBodyBytes = 2 * 1024 * 1024;
// Longer than clients keep idle connections, so that none is closed under a request.
const keepAliveMilliseconds = 65_000;

/** Serves operations in the AWS JSON 1.0 protocol and resolves when the server listens. */
export async function serve(options: {
  readonly api: ReadonlyMap<string, ApiOperation>;
  readonly host: string;
  readonly port: number;
  readonly report: (problem: unknown) => void;
}): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(options.api, request, response).catch(options.report);
  });
  server.keepAliveTimeout = keepAliveMilliseconds;

  async function answer(
    api: ReadonlyMap<string, ApiOperation>,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    try {
      send(response, 200, await operationOf(api, request)(await readJson(request)));
    } catch (thrown) {
      if (thrown instanceof ApiError)
        return send(response, 400, { __type: thrown.code, message: thrown.message });
      options.report(thrown);
      send(response, 500, {
        __type: "InternalFailure",
        message: "The local Step Functions failed; see its log.",
      });
    }
  }

  await listen(server, options.port, options.host);
  const { address, port, family } = addressOf(server);
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function operationOf(api: ReadonlyMap<string, ApiOperation>, request: IncomingMessage): ApiOperation {
  const target = request.headers["x-amz-target"];
  const name =
    typeof target === "string" && target.startsWith(targetPrefix) ? target.slice(targetPrefix.length) : "";
  const operation = request.method === "POST" ? api.get(name) : undefined;
  if (operation) return operation;
  throw new ApiError("UnknownOperationException", `The operation '${target ?? ""}' is not served here.`);
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maximumBodyBytes) throw new ApiError("ValidationException", "The request is over 2 MiB.");
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (thrown) {
    throw new ApiError("SerializationException", `The request is not JSON: ${messageOf(thrown)}`);
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    "content-type": "application/x-amz-json-1.0",
    "x-amzn-requestid": randomUUID(),
  });
  response.end(JSON.stringify(body));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The server does not listen on a port.");
  return address;
}
