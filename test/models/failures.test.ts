import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../adapters/models/failures.ts";
import { MESSAGE_LIMIT, safeMessage } from "../../adapters/models/scrub.ts";
import { ModelFailure } from "../../core/ports/model.ts";
import type { Reply } from "../../local/model/reply.ts";
import { apiKey, failure, harness, models, request, user } from "./support.ts";

function http(status: number, type: string, more: object = {}): Reply {
  return { httpError: { status, type, message: "Something about it.", ...more } };
}

const html = "<html><body>sk-secret-in-a-page</body></html>";

/** What happens, the reply that makes it happen, whether it is worth a retry, and the message. */
const cases: [string, Reply, boolean, string | RegExp][] = [
  ["400", http(400, "invalid_request_error"), false, "HTTP 400 invalid_request_error: Something about it."],
  ["401", http(401, "authentication_error"), false, "HTTP 401 authentication_error: Something about it."],
  ["403", http(403, "permission_error"), false, "HTTP 403 permission_error: Something about it."],
  ["404", http(404, "not_found_error"), false, "HTTP 404 not_found_error: Something about it."],
  ["408", http(408, "timeout_error"), true, "HTTP 408 timeout_error: Something about it."],
  ["409", http(409, "conflict_error"), true, "HTTP 409 conflict_error: Something about it."],
  ["413", http(413, "request_too_large"), false, "HTTP 413 request_too_large: Something about it."],
  ["422", http(422, "invalid_request_error"), false, "HTTP 422 invalid_request_error: Something about it."],
  ["429", http(429, "rate_limit_error"), true, "HTTP 429 rate_limit_error: Something about it."],
  ["429 of an empty account", http(429, "insufficient_quota"), false, /^HTTP 429 insufficient_quota/],
  [
    "429 that says not to retry",
    http(429, "rate_limit_error", { headers: { "x-should-retry": "false" } }),
    false,
    /^HTTP 429/,
  ],
  ["500", http(500, "api_error"), true, "HTTP 500 api_error: Something about it."],
  ["502 with a page", http(502, "x", { body: html }), true, "HTTP 502"],
  ["400 with a page", http(400, "x", { body: html }), false, "HTTP 400"],
  ["503 with a JSON string", http(503, "x", { body: '"busy"' }), true, "HTTP 503"],
  ["503 with no body", http(503, "x", { body: "" }), true, "HTTP 503"],
  ["529", http(529, "overloaded_error"), true, "HTTP 529 overloaded_error: Something about it."],
  [
    "a redirect",
    http(307, "x", { body: "", headers: { location: "http://127.0.0.1:9/" } }),
    false,
    "HTTP 307",
  ],
  [
    "an overload in the stream",
    { streamError: { type: "overloaded_error", message: "Overloaded", after: 2 } },
    true,
    "stream error overloaded_error: Overloaded",
  ],
  [
    "a server error in the stream",
    { streamError: { type: "server_error", message: "Oops", after: 1 } },
    true,
    "stream error server_error: Oops",
  ],
  [
    "a rate limit in the stream",
    { streamError: { type: "rate_limit_error", message: "Slow", failed: true } },
    true,
    "stream error rate_limit_error: Slow",
  ],
  [
    "a failed response that a retry cannot mend",
    { streamError: { type: "invalid_prompt", message: "No", failed: true } },
    false,
    "stream error invalid_prompt: No",
  ],
  ["a connection cut before the text", { cut: 0 }, true, /connection was lost/],
  ["a connection cut in the text", { cut: 2 }, true, /connection was lost/],
  ["a stream that ends too early", { cut: 2, end: true }, true, /connection was lost/],
  ["an answer that is no stream", { httpError: { status: 200, type: "x", message: "x" } }, true, /lost|read/],
  [
    "an event that is no JSON",
    {
      httpError: {
        status: 200,
        type: "x",
        message: "x",
        headers: { "content-type": "text/event-stream" },
        body: "event: message_start\ndata: {oops\n\n",
      },
    },
    true,
    /cannot be read/,
  ],
  [
    "a refusal",
    { text: "I cannot help.", stop: "refusal" },
    false,
    /^the model refused to answer: .*I cannot help/,
  ],
  ["a content filter", { text: "Well", stop: "content_filter" }, false, /^the model refused to answer/],
];

describe.each(models)("a request to %s that fails", (name) => {
  it.each(cases)("with %s", async (_, reply, retryable, message) => {
    await using at = await harness(reply);
    const failed = await failure(at.ask(request(name)));
    expect(failed).toBeInstanceOf(ModelFailure);
    expect(failed.message).toMatch(typeof message === "string" ? new RegExp(`^${message}$`) : message);
    expect(failed.retryable).toBe(retryable);
    expect(failed.retryAfterMs).toBeNull();
    expect(failed.cause).toBeUndefined();
    // The SDKs' own retries are off: retrying is the caller's.
    expect(at.server.requests.length).toBe(1);
  });

  it.each([
    [{ "retry-after": "7" }, 7_000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "1234", "retry-after": "9" }, 1_234],
    [{ "retry-after": "soon" }, null],
  ])("passes on the wait that %j asks for", async (headers, expected) => {
    await using at = await harness(http(429, "rate_limit_error", { headers }));
    expect((await failure(at.ask(request(name)))).retryAfterMs).toBe(expected);
  });

  it("succeeds when the caller tries again", async () => {
    await using at = await harness((call) =>
      call.attempt === 1 ? http(529, "overloaded_error") : { text: "ok" },
    );
    await failure(at.ask(request(name)));
    expect((await at.ask(request(name))).text).toEqual(["ok"]);
  });

  it("never shows the key, a part of it, or any other key", async () => {
    const message = `Incorrect API key provided: ${apiKey}. Yours ends in ${apiKey.slice(-10)}, masked sk-te********a0, other sk-proj-abcdef.`;
    await using at = await harness({ httpError: { status: 401, type: "authentication_error", message } });
    const failed = await failure(at.ask(request(name)));
    expect(failed.message).toContain("Incorrect API key provided: [redacted]");
    for (const leak of [apiKey, apiKey.slice(-10), "sk-", "abcdef", "a0"]) {
      expect(failed.message).not.toContain(leak);
    }
    expect(JSON.stringify({ ...failed, stack: failed.stack })).not.toContain(apiKey.slice(3, 15));
  });

  it("bounds a message", async () => {
    await using at = await harness({
      httpError: { status: 400, type: "invalid_request_error", message: "long ".repeat(10_000) },
    });
    expect((await failure(at.ask(request(name)))).message.length).toBe(MESSAGE_LIMIT);
  });

  it("says that a provider is out of reach", async () => {
    const at = await harness({ text: "ok" });
    await at.server.close();
    const failed = await failure(at.ask(request(name)));
    expect(failed).toMatchObject({ retryable: true, message: "could not reach the provider (ECONNREFUSED)" });
  });

  it("gives up on a provider that sends no headers", async () => {
    await using at = await harness({ hang: true }, { headersMs: 50 });
    const failed = await failure(at.ask(request(name)));
    expect(failed).toMatchObject({
      retryable: true,
      message: "the provider did not start to answer in time",
    });
    await expect(at.server.requests[0]?.over).resolves.toBe("closed");
  });

  it("gives up on a provider that falls silent", async () => {
    await using at = await harness({ hang: "stream" }, { idleMs: 50 });
    const failed = await failure(at.ask(request(name)));
    expect(failed).toMatchObject({ retryable: true, message: "the provider sent nothing for 0.05 s" });
    await expect(at.server.requests[0]?.over).resolves.toBe("closed");
  });

  it("waits for a slow answer as long as something comes", async () => {
    await using at = await harness({ text: "slowly, slow", chunks: 12, chunkMs: 100 }, { idleMs: 800 });
    expect((await at.ask(request(name))).text).toEqual(["slowly, slow"]);
  });

  it.each(["", "two words", "line\nbreak", "schlüssel"])("refuses the key %j unsent", async (key) => {
    await using at = await harness({ text: "ok" });
    const failed = await failure(at.ask(request(name, { apiKey: key })));
    expect(failed).toMatchObject({ retryable: false, message: expect.stringContaining("model key") });
    expect(at.server.requests).toEqual([]);
  });

  it("refuses an answer of another provider in the conversation", async () => {
    await using at = await harness({ text: "ok" });
    const entry = { type: "assistant" as const, native: "text", scriptIds: [] };
    const failed = await failure(at.ask(request(name, { transcript: [user("Hi"), entry, user("Hi")] })));
    expect(failed).toMatchObject({ retryable: false, message: expect.stringContaining("another provider") });
  });

  it("lets an error of the listener through", async () => {
    await using at = await harness({ text: "ok" });
    const mistake = new RangeError("in the listener");
    const answer = at.model.generate(
      request(name),
      {
        onText() {
          throw mistake;
        },
      },
      new AbortController().signal,
    );
    await expect(answer).rejects.toBe(mistake);
  });
});

describe("a model that is not registered", () => {
  it.each(["openai/gpt-unknown", "openai/__proto__", "google/gemini"])("refuses %s", async (name) => {
    await using at = await harness({ text: "ok" });
    const failed = await failure(at.ask(request(name)));
    expect(failed).toMatchObject({ retryable: false, message: expect.stringContaining("not registered") });
  });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-11-30T12:00:00Z");
  it.each([
    ["Mon, 30 Nov 2026 12:00:30 GMT", 30_000],
    ["Mon, 30 Nov 2026 11:00:00 GMT", 0],
    ["-5", null],
    ["", null],
    ["Infinity", null],
  ])("of %j is %j ms", (value, expected) => {
    expect(retryAfterMs(new Headers({ "retry-after": value }), now)).toBe(expected);
  });
});

describe("a safe message", () => {
  it("hides runs of eight characters of the key wherever they stand", () => {
    expect(safeMessage("x 12345678 y", "abc12345678def")).toBe("x [redacted] y");
    expect(safeMessage("x 1234567 y", "abc12345678def")).toBe("x 1234567 y");
  });

  it("hides a short key whole", () => {
    expect(safeMessage("the key is abc!", "abc")).toBe("the key is [redacted]!");
  });

  it("is one line and never ends in half a character", () => {
    expect(safeMessage("a\r\n\tb\u0000c", "k".repeat(20))).toBe("a b c");
    expect(safeMessage("😀".repeat(10), "k".repeat(20), 6).isWellFormed()).toBe(true);
  });
});
