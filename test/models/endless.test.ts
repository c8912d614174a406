import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createModel } from "../../adapters/models/choice.ts";
import { failure, models, request } from "./support.ts";

const servers = new Set<ReturnType<typeof createServer>>();
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers.clear();
});

/** A provider that answers every request in its own way. */
async function modelOf(answer: (response: ServerResponse) => void) {
  const server = createServer((incoming, response) => {
    incoming.resume();
    answer(response);
  });
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timeouts = { headersMs: 2_000, idleMs: 150, answerMs: 400 };
  return createModel({ openaiBaseUrl: `${url}/v1`, anthropicBaseUrl: url, timeouts });
}

/** Writes again and again until the connection is gone. */
function drip(response: ServerResponse, piece: string): void {
  const timer = setInterval(() => response.write(piece), 20);
  response.on("close", () => clearInterval(timer));
}

describe.each(models)("an answer of %s that never ends", (name) => {
  const ask = async (answer: (response: ServerResponse) => void) => {
    const model = await modelOf(answer);
    const listener = { onText: () => undefined };
    return failure(model.generate(request(name), listener, new AbortController().signal));
  };

  it("is given up although it shows signs of life", async () => {
    const failed = await ask((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      drip(response, `event: ping\ndata: {"type":"ping"}\n\n`);
    });
    expect(failed).toMatchObject({
      retryable: true,
      message: expect.stringContaining("did not end its answer"),
    });
  });

  it("is given up as the body of an error, whatever comes in pieces", async () => {
    const failed = await ask((response) => {
      response.writeHead(500, { "content-type": "application/json" });
      drip(response, " ");
    });
    expect(failed).toMatchObject({ retryable: true });
  });
});
