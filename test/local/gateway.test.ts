import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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
