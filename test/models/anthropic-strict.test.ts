import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { createSeals } from "../../local/model/seals.ts";
import {
  asked,
  hears,
  type Refusal,
  refusal,
  refuses,
  result,
  says,
  text,
  use,
} from "./anthropic-messages.ts";
import { harness, post } from "./support.ts";

const seals = createSeals();
const thought = (over: object = {}) => ({
  type: "thinking",
  thinking: "",
  signature: seals.seal("hm"),
  ...over,
});
const redacted = { type: "redacted_thinking", data: seals.seal("hm") };

describe("Anthropic's wire refuses of a message", () => {
  const empty = "all messages must have non-empty content except for the optional final assistant message";
  it.each<Refusal>([
    ["an answer at the start", [says(text()), asked], "messages: first message must use the user role"],
    [
      "an answer at the end",
      [asked, says(text())],
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ],
    ["no content", [asked, says(), asked], `messages.1: ${empty}`],
    ["empty text", [hears(text({ text: "" }))], "messages: text content blocks must be non-empty"],
    [
      "blank text",
      [{ role: "user", content: " \n" }],
      "messages: text content blocks must contain non-whitespace text",
    ],
    [
      "an unknown block",
      [asked, says({ type: "foo" }), asked],
      "messages.1.content.0: Input tag 'foo' found using 'type' does not match any of the expected tags: 'text', 'image', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result'",
    ],
    [
      "an unknown field of a block",
      [asked, says(text({ foo: 1 })), asked],
      "messages.1.content.0.text.foo: Extra inputs are not permitted",
    ],
    [
      "an unknown field of its own",
      [{ ...asked, name: "Ada" }],
      "messages.0.name: Extra inputs are not permitted",
    ],
    [
      "null for text",
      [hears(text({ text: null }))],
      "messages.0.content.0.text.text: Input should be a valid string",
    ],
    [
      "null for content",
      [hears(), { role: "user", content: null }],
      "messages.1.content: Input should be a valid list",
    ],
    [
      "another role",
      [{ ...asked, role: "system" }],
      "messages.0.role: Input should be 'user' or 'assistant'",
    ],
    [
      "an image of another type",
      [hears({ type: "image", source: { type: "base64", media_type: "image/bmp", data: "aGk=" } })],
      "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    ],
  ])("%s", async (_, messages, message) => refuses({ messages }, message));
});

describe("Anthropic's wire refuses of thinking", () => {
  const signature = "messages.1.content.0: Invalid `signature` in `thinking` block";
  it.each<Refusal>([
    [
      "a signature that it has not made",
      [asked, says(thought({ signature: "s" }), text()), asked],
      signature,
    ],
    ["another text than was signed", [asked, says(thought({ thinking: "no" }), text()), asked], signature],
    [
      "redacted data that it has not made",
      [asked, says({ ...redacted, data: "x" }, text()), asked],
      "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
    ],
    [
      "that it ends an answer",
      [asked, says(text(), thought()), asked],
      "messages.1: The final block in an assistant message cannot be `thinking`.",
    ],
    [
      "an unknown field",
      [asked, says(thought({ citations: null }), text()), asked],
      "messages.1.content.0.thinking.citations: Extra inputs are not permitted",
    ],
    [
      "a message of the user",
      [hears(thought(), text())],
      "messages.0.content.0: `thinking` blocks can only be in `assistant` messages",
    ],
  ])("%s", async (_, messages, message) => refuses({ messages }, message));

  const budget = { thinking: { type: "enabled", budget_tokens: 1_024 } };
  const begun = (at: number, found: string) =>
    `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`;
  const second = [says(use({ id: "u" })), hears(result({ tool_use_id: "u" }))];

  it.each<Refusal>([
    ["a call", [asked, says(use()), hears(result())], begun(1, "tool_use")],
    ["text", [asked, says(text(), use()), hears(result()), asked], begun(1, "text")],
    ["a call, some calls ago", [asked, says(use()), hears(result()), ...second], begun(1, "tool_use")],
  ])("with a budget, a tool loop that begins with %s", async (_, messages, message) =>
    refuses({ messages, ...budget }, message),
  );

  it.each<[string, object, unknown[]]>([
    ["a loop that begins with thinking", budget, [asked, says(thought(), use()), hears(result()), ...second]],
    ["a loop that begins with redacted thinking", budget, [asked, says(redacted, use()), hears(result())]],
    ["a loop that is over", budget, [asked, says(use()), hears(result()), says(text()), asked]],
    ["a loop without a budget", { thinking: { type: "adaptive" } }, [asked, says(use()), hears(result())]],
    ["thinking that is off again", {}, [asked, says(thought({ thinking: "hm" }), use()), hears(result())]],
  ])("nothing in %s", async (_, over, messages) => {
    expect(await refusal({ messages, ...over })).toBe("accepted");
  });
});

describe("Anthropic's wire refuses of a request", () => {
  const tool = { name: "f", input_schema: { type: "object" } };
  it.each<[string, object, string]>([
    [
      "a tool's name",
      { tools: [{ ...tool, name: "a b" }] },
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ],
    [
      "a schema that is no object's",
      { tools: [{ ...tool, input_schema: {} }] },
      "tools.0.custom.input_schema.type: Field required",
    ],
    [
      "another provider's tool",
      { tools: [{ ...tool, parameters: {} }] },
      "tools.0.custom.parameters: Extra inputs are not permitted",
    ],
    ["an unknown parameter", { input: "Hi" }, "input: Extra inputs are not permitted"],
    ["no limit of the output", { max_tokens: undefined }, "max_tokens: Field required"],
    ["a limit of nothing", { max_tokens: 0 }, "max_tokens: Input should be greater than or equal to 1"],
    [
      "a budget that is too small",
      { thinking: { type: "enabled", budget_tokens: 1_000 } },
      "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ],
    [
      "a budget that leaves nothing",
      { thinking: { type: "enabled", budget_tokens: 4_000 } },
      "`max_tokens` must be greater than `thinking.budget_tokens`",
    ],
    [
      "blank instructions",
      { system: [text({ text: " " })] },
      "system: text content blocks must contain non-whitespace text",
    ],
  ])("%s", async (_, over, message) => refuses({ ...over }, message));

  it("more than 32 MB", async () => {
    const padding = "a".repeat(32 * 1024 * 1024);
    const error = await refusal({ messages: [hears(text({ text: padding }))] });
    expect(error).toBeInstanceOf(Anthropic.APIError);
    expect(error).toMatchObject({
      status: 413,
      error: { error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
    });
  });

  it("what it says in the API's envelope", async () => {
    await using at = await harness({ text: "ok" });
    const response = await post(`${at.server.url}/v1/messages`, {}, { "x-api-key": "k" });
    expect(await response.json()).toEqual({
      type: "error",
      error: { type: "invalid_request_error", message: "model: Field required" },
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it("nothing of the blocks of its own answers, and of null where the API says so", async () => {
    const answer = says(
      thought(),
      text({ citations: null, cache_control: null }),
      use({ caller: { type: "direct" } }),
    );
    const messages = [asked, answer, hears(result({ cache_control: { type: "ephemeral" } }))];
    expect(await refusal({ messages, tools: [tool] })).toBe("accepted");
  });
});
