import { describe, expect, it } from "vitest";
import type { Reply } from "../../local/model/reply.ts";
import { failure, harness, models, request } from "./support.ts";

const [openai, anthropic] = models;

const refused = (status: number, type: string, message: string, code?: string): Reply => ({
  httpError: { status, type, message, ...(code === undefined ? {} : { code }) },
});
const invalid = (message: string, code?: string) => refused(400, "invalid_request_error", message, code);

/** How each provider says that a conversation is too long for the model. */
const refusals: [string, string, Reply][] = [
  [
    openai,
    "by its code",
    invalid(
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
      "context_length_exceeded",
    ),
  ],
  [openai, "by its code alone", invalid("Please adjust your input.", "context_length_exceeded")],
  [
    openai,
    "in a failed response",
    { streamError: { type: "context_length_exceeded", message: "Too much.", failed: true } },
  ],
  [
    openai,
    "about a text that it does not name",
    invalid("Invalid input: string too long.", "string_above_max_length"),
  ],
  [anthropic, "by its sentence", invalid("prompt is too long: 208310 tokens > 200000 maximum")],
  [
    anthropic,
    "with the answer counted",
    invalid("input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"),
  ],
  [anthropic, "in bytes", refused(413, "request_too_large", "Request exceeds the maximum size")],
];

describe("a conversation that is too long", () => {
  it.each(refusals)("is told apart when %s says so %s", async (model, _, reply) => {
    await using at = await harness(reply);
    expect(await failure(at.ask(request(model)))).toMatchObject({
      objection: { to: "length" },
      retryable: false,
    });
  });

  it.each<[string, string, Reply]>([
    [openai, "another invalid request", invalid("No tool output found for function call call_1.")],
    [
      openai,
      "a limit of tokens a minute",
      refused(429, "tokens", "Request too large for gpt-4 on tokens per min (TPM)", "rate_limit_exceeded"),
    ],
    [anthropic, "another invalid request", invalid("messages: first message must use the user role")],
    [anthropic, "a busy server", refused(529, "overloaded_error", "prompt is too long")],
    [anthropic, "a cut connection", { cut: 1 }],
  ])("is not what %s means by %s", async (model, _, reply) => {
    await using at = await harness(reply);
    expect((await failure(at.ask(request(model)))).objection).not.toEqual({ to: "length" });
  });
});
