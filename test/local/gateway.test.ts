import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange, refusalOf } from "../support/http.ts";
import { type Laptop, startLaptop } from "../support/laptop.ts";

let laptop: Laptop;
beforeAll(async () => {
  laptop = await startLaptop();
});
afterAll(() => laptop.stop());

const head = [
  "POST /v1/agents HTTP/1.1",
  "Host: laptop",
  "Authorization: Bearer dev-key",
  "Content-Type: application/json",
  "Content-Length: 1000",
].join("\r\n");

describe("a client that leaves in the middle of its body", () => {
  it("is no error of the stack, which goes on", async () => {
    const { hostname, port } = new URL(laptop.url);
    for (let sent = 0; sent < 3; sent++) {
      const socket = connect(Number(port), hostname);
      await once(socket, "connect");
      await new Promise((written) => socket.write(`${head}\r\n\r\n{"name":`, written));
      // Its request is read once a later one on another connection was answered.
      await fetch(`${laptop.url}/openapi.json`);
      socket.resetAndDestroy();
    }
    const { status } = await fetch(`${laptop.url}/agents`, { headers: { authorization: "Bearer dev-key" } });
    expect(status).toBe(200);
    expect(laptop.output()).not.toContain("aborted");
  });
});

describe("the operators' root", () => {
  const scope = "20261207/us-east-1/execute-api/aws4_request";
  it.each([
    [
      "a signature of nobody",
      `AWS4-HMAC-SHA256 Credential=AKIAUNKNOWN/${scope}, SignedHeaders=host, Signature=00`,
    ],
    ["half a signature", "AWS4-HMAC-SHA256 Credential=AKIAUNKNOWN"],
    ["a project's key", "Bearer dev-key"],
    ["the dashboard's bearer", "Bearer dev-dashboard"],
  ])("lets nobody in by %s", async (_, authorization) => {
    for (const [method, path] of [
      ["GET", "/agents"],
      ["POST", "/agents"],
      ["GET", "/sessions/ses_1/events/stream"],
    ]) {
      const baseUrl = laptop.url.replace("/v1", "/aws/v1");
      const received = await exchange(baseUrl, {
        method: String(method),
        path: String(path),
        headers: { authorization },
      });
      expect(refusalOf(received)).toEqual({ status: 401, code: "unauthorized" });
    }
  });
});

/** Sends text on a connection of its own and gives all that comes until it is closed. */
async function say(...texts: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(laptop.url);
  const socket = connect(Number(port), hostname);
  const received = socket.setEncoding("utf8").reduce((all, part: string) => all + part, "");
  for (const text of texts) await new Promise((written) => socket.write(text, written));
  return received;
}

/** The last answer of what came: its status line, and its body, which is the API's envelope. */
function lastAnswer(text: string) {
  const [head = "", body = ""] = text.slice(text.lastIndexOf("HTTP/1.1 ")).split("\r\n\r\n");
  const [statusLine = "", ...fields] = head.split("\r\n");
  const headers = new Headers(fields.map((field) => field.split(": ", 2) as [string, string]));
  const { code } = refusalOf({ status: 0, headers, text: body });
  return { status: Number(statusLine.split(" ")[1]), code, connection: headers.get("connection") };
}

const get = "GET /v1/openapi.json HTTP/1.1";
const chunked = `${head.replace("Content-Length: 1000", "Transfer-Encoding: chunked")}\r\n\r\n`;

describe("a request that Node refuses by itself", () => {
  it.each<[string, number, string[]]>([
    ["headers that are too large", 431, [`${get}\r\nHost: laptop\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`]],
    ["headers without an end", 431, [`${get}\r\nHost: laptop\r\nX-Large: `, "x".repeat(3_000_000)]],
    ["a path that is too long", 431, [`GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: laptop\r\n\r\n`]],
    ["what is no HTTP", 400, ["HELLO\r\n\r\n"]],
    ["a method that nobody knows", 400, ["FROB /v1/agents HTTP/1.1\r\nHost: laptop\r\n\r\n"]],
    ["a header that is none", 400, [`${get}\r\nHost: laptop\r\nno colon\r\n\r\n`]],
    ["two lengths", 400, [`${head}\r\nContent-Length: 2\r\n\r\n{}`]],
    ["a chunk without a size", 400, [chunked, "zz\r\n{}\r\n"]],
    ["no host", 400, [`${get}\r\nConnection: close\r\n\r\n`]],
    ["an expectation", 417, [`${get}\r\nHost: laptop\r\nExpect: tea\r\n\r\n`]],
    ["nonsense behind a request", 400, [`${get}\r\nHost: laptop\r\n\r\nHELLO\r\n\r\n`]],
  ])("is answered in the envelope, and its connection closed: %s", async (_, status, texts) => {
    const answer = lastAnswer(await say(...texts));
    expect(answer).toEqual({ status, code: "invalid_request", connection: "close" });
  });

  it("leaves the others alone, and nothing in the log", async () => {
    expect((await fetch(`${laptop.url}/openapi.json`)).status).toBe(200);
    expect(laptop.output()).toBe("");
  });
});
