import { describe, expect, it } from "vitest";
import { objectionOf, type ProviderReport } from "../../adapters/models/objection.ts";
import type { Reply } from "../../local/model/reply.ts";
import { assistant, failure, harness, models, request, user } from "./support.ts";

const [openai, anthropic] = models;
const nowhere = () => null;
const refusal = (rest: Partial<ProviderReport>): ProviderReport => ({
  status: 400,
  type: "invalid_request_error",
  code: null,
  param: null,
  message: "No.",
  headers: null,
  ...rest,
});

describe("what a provider objects to", () => {
  it.each<[string, Partial<ProviderReport>, string | null]>([
    ["a policy by its code", { code: "bio_policy" }, "content"],
    ["a policy in a stream", { status: null, type: null, code: "misalignment_policy_violation" }, "content"],
    ["a policy by its sentence", { message: "Output blocked by content filtering policy" }, "content"],
    [
      "a request above a minute's tokens",
      { status: 429, message: "… on tokens per min (TPM): Limit 30000, Requested 40221." },
      "length",
    ],
    [
      "a minute whose tokens are used up",
      { status: 429, message: "… (TPM): Limit 30000, Used 29000, Requested 40." },
      null,
    ],
    [
      "reasoning of another account",
      { message: "The encrypted content for item rs_1 could not be verified." },
      "seals",
    ],
    ["something that it does not name", { message: "This was not understood." }, "request"],
    ["an empty account", { message: "Your credit balance is too low to access the API." }, null],
    ["a model that is not there", { status: 404, message: "The model `gpt-9` does not exist." }, null],
    ["a wrong key", { status: 401, message: "Incorrect API key provided." }, null],
  ])("is told from its refusal: %s", (_, rest, to) => {
    expect(objectionOf(refusal(rest), nowhere)?.to ?? null).toBe(to);
  });
});

describe("the entry that a refusal names", () => {
  const error = (rest: object): Reply => ({
    httpError: { status: 400, type: "invalid_request_error", message: "No.", ...rest },
  });
  const named = async (model: string, reply: Reply) => {
    await using at = await harness(reply);
    const transcript = [
      user("One"),
      assistant({
        text: [],
        scripts: [],
        cut: false,
        usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 },
        native:
          model === openai
            ? [
                {
                  type: "message",
                  id: "msg_1",
                  role: "assistant",
                  status: "completed",
                  content: [{ type: "output_text", text: "Two", annotations: [] }],
                },
              ]
            : [{ type: "text", text: "Two" }],
      }),
      user("Three"),
    ];
    const { objection } = await failure(at.ask(request(model, { transcript })));
    return objection?.to === "entry" ? objection.entry : objection?.to;
  };

  it.each<[string, string, Reply, number | string]>([
    [openai, "by its place", error({ param: "input[1].content" }), 1],
    [openai, "by its place in words", error({ message: "Invalid 'input[2].content': no." }), 2],
    [openai, "by its id", error({ message: "Item 'msg_1' of type 'message' is not wanted." }), 1],
    [openai, "with another status", error({ status: 422, param: "input[1].content" }), 1],
    [
      openai,
      "by its id, as not found",
      error({ status: 404, message: "Item with id 'msg_1' not found." }),
      1,
    ],
    [openai, "outside of the request", error({ param: "input[9].content" }), "request"],
    [openai, "in the tools", error({ param: "tools[0].parameters", message: "Not 'msg_1'." }), "request"],
    [anthropic, "by its place", error({ message: "messages.1.content.0: no" }), 1],
    [
      anthropic,
      "in the middle of a sentence",
      error({ message: "Invalid request: messages.2.content.0.text: no" }),
      2,
    ],
    [
      anthropic,
      "in its stream",
      { streamError: { type: "invalid_request_error", message: "messages.1.content.0: no" } },
      1,
    ],
    [anthropic, "outside of the request", error({ message: "messages.9: no" }), "request"],
  ])("is found in %s's words: %s", async (model, _, reply, expected) => {
    expect(await named(model, reply)).toBe(expected);
  });
});
