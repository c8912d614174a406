import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  answer,
  call,
  empty,
  missing,
  pattern,
  type Refusal,
  refusal,
  refuses,
  result,
  said,
  thought,
  tooLong,
  unknown,
} from "./openai-items.ts";
import { harness, post } from "./support.ts";

describe("OpenAI's wire refuses of an item", () => {
  it.each<Refusal>([
    [
      "an unknown type",
      [said, { type: "foo" }],
      "Invalid value: 'foo'. Supported values are: 'message', 'function_call', 'function_call_output', and 'reasoning'.",
      "input[1].type",
      "invalid_value",
    ],
    ["no type", [{}], ...missing("input[0].type")],
    ["created_by on a call", [call({ created_by: "agent" }), result()], ...unknown("input[0].created_by")],
    ["created_by on an output", [call(), result({ created_by: "agent" })], ...unknown("input[1].created_by")],
    ["created_by on a message", [answer({ created_by: "agent" })], ...unknown("input[0].created_by")],
    ["status on reasoning", [thought({ status: "completed" }), answer()], ...unknown("input[0].status")],
    [
      "parsed on a part",
      [answer({ content: [{ type: "refusal", refusal: "No.", parsed: null }] })],
      ...unknown("input[0].content[0].parsed"),
    ],
    [
      "an id of another prefix",
      [answer({ id: "rs_1" })],
      "Invalid 'input[0].id': 'rs_1'. Expected an ID that begins with 'msg'.",
      "input[0].id",
      "invalid_value",
    ],
    [
      "an id with other characters",
      [call({ id: "" }), result()],
      "Invalid 'input[0].id': ''. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
      "input[0].id",
      "invalid_value",
    ],
    [
      "an id that is too long",
      [call({ id: `fc_${"1".repeat(62)}` }), result()],
      ...tooLong("input[0].id", 64, 65),
    ],
    [
      "an id that another has",
      [answer(), said, answer()],
      "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
      "input",
      null,
    ],
  ])("%s", async (...row) => refuses(row));
});

describe("OpenAI's wire refuses of a message", () => {
  const long = "a".repeat(10_485_761);
  it.each<Refusal>([
    [
      "parts of the other side",
      [answer({ content: [{ type: "input_text", text: "Hello." }] })],
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      "input[0].content[0].type",
      "invalid_value",
    ],
    [
      "a part without its text",
      [answer({ content: [{ type: "output_text" }] })],
      ...missing("input[0].content[0].text"),
    ],
    ["no parts", [answer({ content: [] })], ...empty("input[0].content", "array", "an")],
    [
      "text that is too long",
      [{ role: "user", content: long }],
      ...tooLong("input[0].content", 10_485_760, 10_485_761),
    ],
    [
      "a part that is too long",
      [{ role: "user", content: [{ type: "input_text", text: long }] }],
      ...tooLong("input[0].content[0].text", 10_485_760, 10_485_761),
    ],
    [
      "a role of its own",
      [{ role: "tool", content: "Hi" }],
      "Invalid value: 'tool'. Supported values are: 'user', 'system', 'developer', and 'assistant'.",
      "input[0].role",
      "invalid_value",
    ],
  ])("%s", async (...row) => refuses(row));
});

describe("OpenAI's wire refuses of reasoning", () => {
  const unverified = (id: string) =>
    `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
  it.each<Refusal>([
    [
      "content that it has not sealed",
      [thought({ encrypted_content: "sealed" }), answer()],
      unverified("rs_1"),
      null,
      "invalid_encrypted_content",
    ],
    [
      "content of another item",
      [thought({ id: "rs_2" }), answer()],
      unverified("rs_2"),
      null,
      "invalid_encrypted_content",
    ],
    [
      "what nothing follows",
      [thought(), said],
      "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
      "input",
      null,
    ],
  ])("%s", async (...row) => refuses(row));

  it("what it would have to have stored", async () => {
    const input = [thought({ encrypted_content: undefined }), answer()];
    const error = await refusal({ model: "gpt-5", store: false, input });
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect(error).toMatchObject({
      status: 404,
      param: "input",
      error: { message: expect.stringContaining("not persisted") },
    });
  });
});

describe("OpenAI's wire", () => {
  const tool = { type: "function", name: "f", parameters: {}, strict: false };

  it.each([
    ["a tool's name", { tools: [{ ...tool, name: "a b" }] }, `Invalid 'tools[0].name': ${pattern}`],
    [
      "a tool's unknown parameter",
      { tools: [{ ...tool, input_schema: {} }] },
      "Unknown parameter: 'tools[0].input_schema'.",
    ],
    ["an unknown parameter", { messages: [] }, "Unknown parameter: 'messages'."],
  ])("refuses %s", async (_, over, message) => {
    expect(await refusal({ model: "gpt-5", input: "Hi", ...over })).toMatchObject({
      status: 400,
      error: { message },
    });
  });

  it("says in its body what is wrong, where, and by which code", async () => {
    await using at = await harness({ text: "ok" });
    const body = { model: "gpt-5", input: [call({ name: "" })] };
    const response = await post(`${at.server.openaiBaseUrl}/responses`, body, { authorization: "Bearer k" });
    expect(await response.json()).toEqual({
      error: {
        message: expect.stringContaining("empty string"),
        type: "invalid_request_error",
        param: "input[0].name",
        code: "empty_string",
      },
    });
  });

  it("accepts the items of its own answers and the longest that the API takes", async () => {
    const input = [
      said,
      thought(),
      answer(),
      call({ id: "fc_1", status: "completed", arguments: JSON.stringify("a".repeat(1_048_574)) }),
      result({ output: "a".repeat(10_485_760) }),
      { role: "assistant", content: "As a string." },
      { role: "user", content: [{ type: "input_text", text: "" }] },
    ];
    expect(await refusal({ model: "gpt-5", input, tools: [tool], store: false })).toBe("accepted");
  });
});
