import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelApiKey } from "../../contract/schemas/model-keys.ts";
import { listOf } from "../support/pages.ts";
import { patience } from "../support/patience.ts";
import { type Target, target } from "../support/target.ts";
import { post, refused } from "./doors/requests.ts";

let stack: Target;
beforeAll(async () => {
  stack = await target();
}, patience.hook);
afterAll(() => stack?.close());

const body = JSON.stringify({ name: "encoded – ü", provider: "openai", key: "sk-test-0123456789" });
const send = (bytes: string | Uint8Array, headers: Record<string, string> = {}) =>
  post(stack.api, "/model-api-keys", bytes, headers);
const keys = () => listOf(stack.api, "/model-api-keys");

/** The body with bytes in place of its name. */
const named = (...bytes: number[]): Buffer => {
  const [before = "", after = ""] = body.split("encoded – ü");
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
};

describe("a body with a Content-Encoding", patience.test, () => {
  it.each([
    ["gzip", gzipSync(body)],
    ["GZIP", gzipSync(body)],
    ["br", brotliCompressSync(body)],
    ["deflate", body],
    ["identity, gzip", gzipSync(body)],
    ["rot13", body],
  ])("is refused, since it is not decoded: %s", async (coding, bytes) => {
    const before = await keys();
    const answer = refused(await send(bytes, { "content-encoding": coding }));
    expect(answer).toMatchObject({ status: 415, code: "unsupported_media_type" });
    expect(answer.message).toContain("Send it without one.");
    expect(await keys()).toEqual(before);
  });

  it("that changes nothing is taken", async () => {
    expect((await send(body, { "content-encoding": "Identity" })).status).toBe(201);
  });
});

describe("a body that is no UTF-8", patience.test, () => {
  it.each([
    ["a byte that begins nothing", named(0xff)],
    ["half a character", named(0xc3)],
    ["Latin-1", Buffer.from(body.replace("–", "-"), "latin1")],
    ["an encoded surrogate", named(0xed, 0xa0, 0x80)],
    ["a character in more bytes than it needs", named(0xc0, 0x80)],
    ["UTF-16", Buffer.from(body, "utf16le")],
  ])("is refused and not mended: %s", async (_, bytes) => {
    const before = await keys();
    const answer = refused(await send(bytes));
    expect(answer).toMatchObject({ status: 400, code: "invalid_json" });
    expect(answer.message).toContain("UTF-8");
    expect(await keys()).toEqual(before);
  });
});

describe("a byte order mark", patience.test, () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf]);

  it("before the body is passed over", async () => {
    const { status, text } = await send(Buffer.concat([mark, Buffer.from(body)]));
    expect(status).toBe(201);
    expect(ModelApiKey.parse(JSON.parse(text)).name).toBe("encoded – ü");
  });

  it("is no body, and stays where it is a character of a text", async () => {
    expect(refused(await send(mark)).code).toBe("invalid_json");
    const { text } = await send(named(0xef, 0xbb, 0xbf, 0x61));
    expect(ModelApiKey.parse(JSON.parse(text)).name).toBe("\ufeffa");
  });
});
