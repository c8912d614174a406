import { describe, expect, it } from "vitest";
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

const pattern = "String should match pattern '^[a-zA-Z0-9_-]{1,64}$'";
const unanswered = (at: number, ids: string) =>
  `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const unexpected = (where: string) =>
  `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: t. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;

describe("Anthropic's wire refuses of a call", () => {
  it.each<Refusal>([
    [
      "a name with other characters",
      [asked, says(use({ name: "<|channel|>" })), hears(result())],
      `messages.1.content.0.tool_use.name: ${pattern}`,
    ],
    [
      "a name that is too long",
      [asked, says(use({ name: "n".repeat(457) })), hears(result())],
      `messages.1.content.0.tool_use.name: ${pattern}`,
    ],
    [
      "an empty name, behind its text",
      [asked, says(text(), use({ name: "" })), hears(result())],
      `messages.1.content.1.tool_use.name: ${pattern}`,
    ],
    [
      "an id with other characters",
      [asked, says(use({ id: "t.1" })), hears(result({ tool_use_id: "t.1" }))],
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "an id of the same message",
      [asked, says(use(), use()), hears(result(), result())],
      "messages.1.content.1: `tool_use` ids must be unique",
    ],
    [
      "an id of an earlier message",
      [asked, says(use()), hears(result()), says(use()), hears(result())],
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "input that is no object",
      [asked, says(use({ input: "{}" })), hears(result())],
      "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ],
    [
      "no input",
      [asked, says(use({ input: undefined })), hears(result())],
      "messages.1.content.0.tool_use.input: Field required",
    ],
    [
      "a caller of null",
      [asked, says(use({ caller: null })), hears(result())],
      "messages.1.content.0.tool_use.caller: Input should be a valid dictionary",
    ],
    [
      "a message of the user",
      [hears(use())],
      "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
    ],
  ])("%s", async (_, messages, message) => refuses({ messages }, message));
});

describe("Anthropic's wire refuses of results", () => {
  const two = says(use(), use({ id: "u" }));
  it.each<Refusal>([
    ["that none is there", [asked, says(use()), hears(text())], unanswered(1, "t")],
    ["that several are missing", [asked, two, hears(text())], unanswered(1, "t, u")],
    ["one that comes after text", [asked, says(use()), hears(text(), result())], unanswered(1, "t")],
    [
      "one that comes a message later",
      [asked, two, hears(result()), hears(result({ tool_use_id: "u" }))],
      unanswered(1, "u"),
    ],
    ["one without its call", [hears(result())], unexpected("messages.0.content.0")],
    [
      "one of an earlier call",
      [asked, says(use()), hears(result()), says(text()), hears(result())],
      unexpected("messages.4.content.0"),
    ],
    [
      "a second one",
      [asked, says(use()), hears(result(), result())],
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t",
    ],
    [
      "an empty one of a call that failed",
      [asked, says(use()), hears(result({ content: "", is_error: true }))],
      "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    ],
    [
      "null for whether it failed",
      [asked, says(use()), hears(result({ is_error: null }))],
      "messages.2.content.0.tool_result.is_error: Input should be a valid boolean",
    ],
    [
      "an unknown field of its text",
      [asked, says(use()), hears(result({ content: [text({ foo: 1 })] }))],
      "messages.2.content.0.tool_result.content.0.text.foo: Extra inputs are not permitted",
    ],
  ])("%s", async (_, messages, message) => refuses({ messages }, message));

  it("nothing when each call has one, in any order, before the words of the user", async () => {
    const results = [result({ tool_use_id: "u", content: "" }), result({ content: [text()] })];
    const messages = [asked, two, hears(...results, text()), asked];
    expect(await refusal({ messages })).toBe("accepted");
  });
});
