import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { askForCapacity, type Capacity, isRead, takeCapacity } from "./capacity.ts";
import { type Answer, exchange, readAll, type Target, TooLarge, withBody } from "./exchange.ts";
import { makeLanes } from "./lanes.ts";
import { isWrite, laneOf, readWrites, type Write, type WrittenKey, withoutUnprocessed } from "./writes.ts";

/** DynamoDB takes 16 MB at most (BatchWriteItem); somewhat more lets the engine say so itself. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;
const KEEP_ALIVE_MS = 120_000;
const CLOSE_GRACE_MS = 2000;

export type FrontOptions = {
  /** URL of the engine's endpoint. */
  readonly target: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /**
   * Gets the keys that a committed request wrote, before its client has the answer. Writes of one item come in the
   * order of their commits, as from a stream; nothing waits for what it returns. Replayed transactions are left out.
   */
  readonly onWrite: (keys: readonly WrittenKey[]) => void | Promise<void>;
};

export type DynamoFront = {
  readonly url: string;
  /** Requests received by operation, refused ones included. */
  readonly counts: Readonly<Record<string, number>>;
  /** Units consumed. A write refused by its condition counts what the request tells of its item, at least one. */
  readonly capacity: Readonly<Capacity>;
  close(): Promise<void>;
};

/**
 * Starts an HTTP front of a DynamoDB engine that passes everything on unchanged and sees the writes. An engine that
 * cannot be reached is answered as InternalServerError (500), which the SDK tries again.
 */
export async function startDynamoFront(options: FrontOptions): Promise<DynamoFront> {
  const state: State = {
    target: { url: new URL(options.target), agent: new Agent({ keepAlive: true }) },
    lanes: makeLanes(),
    counts: {},
    capacity: { write: 0, read: 0 },
    onWrite: options.onWrite,
  };
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    (incoming, response) => void serve(state, incoming, response),
  );
  const host = options.host ?? "127.0.0.1";
  server.listen(options.port ?? 0, host);
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  return {
    url: `http://${host}:${port}`,
    counts: state.counts,
    capacity: state.capacity,
    async close() {
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
      server.close();
      await once(server, "close");
      clearTimeout(timer);
      state.target.agent.destroy();
    },
  };
}

type State = {
  readonly target: Target;
  readonly lanes: ReturnType<typeof makeLanes>;
  readonly counts: Record<string, number>;
  readonly capacity: Capacity;
  readonly onWrite: FrontOptions["onWrite"];
};

async function serve(state: State, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const body = await readAll(incoming, MAX_BODY_BYTES);
    const operation = String(incoming.headers["x-amz-target"] ?? "").replace(/^.*\./, "");
    if (operation !== "") state.counts[operation] = (state.counts[operation] ?? 0) + 1;
    const { status, headers, body: answer } = await pass(state, operation, incoming, body);
    response.writeHead(status, headers).end(answer);
  } catch (error) {
    if (response.headersSent || incoming.errored !== null) response.destroy();
    else refuse(response, error);
  }
}

function pass(state: State, operation: string, incoming: IncomingMessage, body: Buffer): Promise<Answer> {
  if (isRead(operation)) return passCounted(state, operation, incoming, body, []);
  if (!isWrite(operation)) return exchange(state.target, incoming, body);
  const writes = readWrites(operation, body);
  const lanes = writes.flatMap((write) => laneOf(write) ?? []);
  return state.lanes.run(lanes, () => passCounted(state, operation, incoming, body, writes));
}

async function passCounted(
  state: State,
  operation: string,
  incoming: IncomingMessage,
  body: Buffer,
  writes: readonly Write[],
): Promise<Answer> {
  const request = askForCapacity(body);
  const answer = await exchange(state.target, incoming, request.body);
  if (answer.status !== 200) {
    if (isRefusedByCondition(answer)) state.capacity.write += unitsOf(operation, writes);
    return answer;
  }
  const consumption = takeCapacity(answer.body, isWrite(operation));
  state.capacity.write += consumption?.capacity.write ?? 0;
  state.capacity.read += consumption?.capacity.read ?? 0;
  // The engine answers a transaction that it did before under the same token as read, not written.
  const replayed = consumption !== undefined && consumption.capacity.write === 0;
  if (writes.length > 0 && !replayed) {
    tell(state, operation === "BatchWriteItem" ? withoutUnprocessed(writes, answer.body) : writes);
  }
  return request.asked || consumption === undefined ? answer : withBody(answer, consumption.rest);
}

function tell(state: State, writes: readonly Write[]): void {
  const keys = writes.flatMap(({ written }) => written ?? []);
  if (keys.length === 0) return;
  try {
    Promise.resolve(state.onWrite(keys)).catch(warn);
  } catch (error) {
    warn(error);
  }
}

function warn(error: unknown): void {
  const what = error instanceof Error ? error.stack : String(error);
  process.emitWarning(`The consumer of DynamoDB writes failed: ${what}`);
}

function isRefusedByCondition({ status, body }: Answer): boolean {
  return (
    status === 400 &&
    (body.includes("#ConditionalCheckFailedException") || body.includes('"ConditionalCheckFailed"'))
  );
}

function unitsOf(operation: string, writes: readonly Write[]): number {
  const factor = operation === "TransactWriteItems" ? 2 : 1;
  return writes.reduce((sum, { units }) => sum + units * factor, 0);
}

function refuse(response: ServerResponse, error: unknown): void {
  const tooLarge = error instanceof TooLarge;
  const code = tooLarge ? "SerializationException" : "InternalServerError";
  const message = tooLarge
    ? `The request is larger than ${MAX_BODY_BYTES} bytes`
    : "The DynamoDB engine could not be reached";
  const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${code}`, message });
  response.writeHead(tooLarge ? 413 : 500, {
    "content-type": "application/x-amz-json-1.0",
    "content-length": Buffer.byteLength(body),
    connection: "close",
  });
  response.end(body);
}
