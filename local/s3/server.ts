import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { noSuchBucket, notImplemented, S3Refusal } from "./errors.ts";
import { listObjects } from "./list.ts";
import { verifyPresigned } from "./presigned.ts";
import { getObject, headObject } from "./read.ts";
import { errorReply, type Reply, sendReply, xmlReply } from "./reply.ts";
import { parameter, parseRequest, refuseUnknown, type S3Request } from "./request.ts";
import { openStore, type Store } from "./store.ts";
import { type BodySource, deleteObject, deleteObjects, putObject } from "./write.ts";

const CLOSE_GRACE_MS = 2000;

/** Requests received by kind, refused ones included; a DeleteObjects counts once. */
export type S3Counts = { put: number; get: number; head: number; delete: number; list: number };

export type S3Options = {
  /** Where objects are kept; created when missing. One running endpoint a directory. */
  readonly directory: string;
  readonly buckets: readonly string[];
  /** Default 127.0.0.1. Header-signed requests are not authenticated: keep it on the loopback. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Checks the signatures of presigned URLs. */
  readonly secretAccessKey: string;
};

export type S3Endpoint = {
  readonly url: string;
  readonly counts: Readonly<S3Counts>;
  /** Ends the endpoint; requests under way get two seconds. */
  close(): Promise<void>;
};

/**
 * Starts a path-style S3 endpoint over a directory. Objects up to 64 MiB survive a kill -9 whole or not at all.
 * Rejects when the directory cannot be read, a stored object is damaged, or the port is taken.
 */
export async function startS3(options: S3Options): Promise<S3Endpoint> {
  const store = await openStore(options.directory, options.buckets);
  const counts: S3Counts = { put: 0, get: 0, head: 0, delete: 0, list: 0 };
  const serve = (request: IncomingMessage, response: ServerResponse, waits: boolean) =>
    void answer({ store, counts, secretAccessKey: options.secretAccessKey }, request, response, waits);
  const server = createServer((request, response) => serve(request, response, false));
  server.on("checkContinue", (request, response) => serve(request, response, true));
  const host = options.host ?? "127.0.0.1";
  const port = await listen(server, host, options.port ?? 0);
  return { url: `http://${host}:${port}`, counts, close: () => close(server) };
}

type Context = {
  readonly store: Store;
  readonly counts: S3Counts;
  readonly secretAccessKey: string;
};

async function answer(
  context: Context,
  incoming: IncomingMessage,
  response: ServerResponse,
  waits: boolean,
): Promise<void> {
  const requestId = randomUUID();
  const method = incoming.method ?? "";
  let asked = !waits;
  const source: BodySource = {
    read() {
      if (!asked) response.writeContinue();
      asked = true;
      // Without destroying on return: a refusal in mid-body is still to be sent over this socket.
      return incoming.iterator({ destroyOnReturn: false });
    },
  };
  try {
    const reply = await run(context, incoming, source).catch((error: unknown) => {
      if (!(error instanceof S3Refusal)) throw error;
      return errorReply(error, (incoming.url ?? "").replace(/\?.*/, ""), requestId);
    });
    // A client that was not asked for its body may send it or not: nothing can follow on this connection.
    if (!asked) response.setHeader("connection", "close");
    await sendReply(response, method, reply, requestId);
    incoming.resume();
  } catch (error) {
    if (incoming.errored !== null || response.headersSent) response.destroy();
    else await sendReply(response, method, internalError(error, requestId), requestId);
  }
}

function internalError(error: unknown, requestId: string): Reply {
  process.emitWarning(
    `The local S3 endpoint failed: ${error instanceof Error ? error.stack : String(error)}`,
  );
  const refusal = new S3Refusal(500, "InternalError", "We encountered an internal error. Please try again.");
  return errorReply(refusal, "", requestId);
}

async function run(context: Context, incoming: IncomingMessage, source: BodySource): Promise<Reply> {
  const request = parseRequest(incoming.method ?? "", incoming.url ?? "", incoming.headers);
  const operation = operationOf(request);
  context.counts[operation.kind] += 1;
  if (request.presigned) verifyPresigned(request, context.secretAccessKey, Date.now());
  refuseUnknown(request);
  if (context.store.bucket(request.bucket) === undefined) throw noSuchBucket(request.bucket);
  return await operation.run(context.store, request, source);
}

type Operation = {
  readonly kind: keyof S3Counts;
  readonly run: (store: Store, request: S3Request, source: BodySource) => Reply | Promise<Reply>;
};

const OBJECT_OPERATIONS: Readonly<Record<string, Operation>> = {
  PUT: { kind: "put", run: putObject },
  GET: { kind: "get", run: getObject },
  HEAD: { kind: "head", run: headObject },
  DELETE: { kind: "delete", run: deleteObject },
};

const LIST: Operation = {
  kind: "list",
  run(store, request) {
    const index = store.bucket(request.bucket);
    if (index === undefined) throw noSuchBucket(request.bucket);
    return xmlReply(200, listObjects(request, index));
  },
};

const DELETE_MANY: Operation = { kind: "delete", run: deleteObjects };

function operationOf(request: S3Request): Operation {
  const found = request.key === "" ? bucketOperation(request) : OBJECT_OPERATIONS[request.method];
  if (found === undefined) throw notImplemented(`${request.method} of ${request.path} with these parameters`);
  return found;
}

function bucketOperation(request: S3Request): Operation | undefined {
  if (request.bucket === "") return undefined;
  if (request.method === "GET" && parameter(request, "list-type") === "2") return LIST;
  if (request.method === "POST" && parameter(request, "delete") !== undefined) return DELETE_MANY;
  return undefined;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
