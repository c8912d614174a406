import { randomUUID } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { errorBody } from "../../contract/errors.ts";

type Answer = { readonly status: number; readonly message: string };

const unreadable = {
  status: 400,
  message: "The request is not well-formed HTTP. Correct it.",
};
const unexpected = { status: 417, message: "The request expects what is not done here. Send no Expect." };
/** By Node's name of what is wrong. */
const answers: Readonly<Record<string, Answer>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: "The request's headers are too large. Send less in them." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: "The request did not come in time. Send it again." },
};

/** What is still underway to us may be received for so long, or the client loses the answer. */
const LINGER_MS = 2_000;

/**
 * Puts what Node itself answers, to a request that it cannot read or does not want, into the API's envelope. The server
 * has to be made with `requireHostHeader: false`.
 */
export function answerBrokenRequests(server: Server): void {
  const latest = new WeakMap<Socket, ServerResponse>();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response);
  });
  server.on("checkExpectation", (_: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = compose(unexpected);
    response.writeHead(status, headers).end(body);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.destroyed || socket.writableEnded) return;
    // Who has left hears nothing; in the middle of an answer nothing can be said.
    const answered = latest.get(socket);
    const speaks = answered?.headersSent === true && !answered.writableFinished;
    if (!socket.writable || error.code === "ECONNRESET" || speaks) return void socket.destroy();
    socket.setTimeout(LINGER_MS, () => socket.destroy());
    socket.end(wire(compose(answers[error.code ?? ""] ?? unreadable)));
  });
}

/** The answer to a request without the one header that HTTP/1.1 asks for; null where it is there. */
export function hostProblem({ headers, httpVersion }: IncomingMessage) {
  return httpVersion === "1.1" && headers.host === undefined ? compose(unreadable) : null;
}

function compose({ status, message }: Answer) {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody("invalid_request", message, requestId));
  const headers = {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "x-request-id": requestId,
    connection: "close",
  };
  return { status, headers, body };
}

function wire({ status, headers, body }: ReturnType<typeof compose>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, "", body].join("\r\n");
}
