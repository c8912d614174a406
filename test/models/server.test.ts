import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { pieces } from "../../local/model/answer.ts";
import { commonPrefix } from "../../local/model/record.ts";
import { startModelServer } from "../../local/model/server.ts";
import { apiKey, harness, post } from "./support.ts";

const question = [{ role: "user" as const, content: "Hi" }];
const functionTool = {
  type: "function" as const,
  name: "javascript",
  parameters: { type: "object", required: ["source"], properties: { source: { type: "string" } } },
  strict: false,
};
const anthropicTool = {
  name: "javascript",
  input_schema: { type: "object" as const, required: ["source"], properties: { source: { type: "string" } } },
};

describe("the scripted model server under OpenAI's SDK", () => {
  const answer = { reasoning: "hm", text: ["one", "two"], scripts: ["return 1"], chunks: 3 };

  it("streams what the SDK's own helper accumulates", async () => {
    await using at = await harness(answer);
    const client = new OpenAI({ apiKey, baseURL: at.server.openaiBaseUrl, maxRetries: 0 });
    const params = {
      model: "gpt-5",
      input: "Hi",
      tools: [functionTool],
      reasoning: { effort: "low" as const },
    };
    const stream = client.responses.stream(params);
    const deltas: string[] = [];
    stream.on("response.output_text.delta", (event) => deltas.push(event.delta));
    const final = await stream.finalResponse();
    expect(deltas.join("")).toBe("onetwo");
    expect(final.output_text).toBe("onetwo");
    expect(final.output.map((item) => item.type)).toEqual([
      "reasoning",
      "message",
      "message",
      "function_call",
    ]);
    expect(final.output.at(-1)).toMatchObject({ parsed_arguments: null, arguments: '{"source":"return 1"}' });
    expect(final.usage?.total_tokens).toBeGreaterThan(0);
  });

  it("answers whole when not asked to stream", async () => {
    await using at = await harness(answer);
    const client = new OpenAI({ apiKey, baseURL: at.server.openaiBaseUrl, maxRetries: 0 });
    const final = await client.responses.create({ model: "gpt-5", input: "Hi", tools: [functionTool] });
    expect(final.output_text).toBe("onetwo");
  });

  it("sends the events in the order of the API, numbered", async () => {
    await using at = await harness({ text: "hello", scripts: ["1"], chunks: 1 });
    const client = new OpenAI({ apiKey, baseURL: at.server.openaiBaseUrl, maxRetries: 0 });
    const stream = await client.responses.create({ model: "gpt-5", input: "Hi", stream: true });
    const seen: string[] = [];
    const numbers: number[] = [];
    for await (const event of stream) {
      seen.push(event.type);
      numbers.push(event.sequence_number);
    }
    expect(seen).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.output_item.added",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.delta",
      "response.function_call_arguments.done",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(numbers).toEqual(numbers.map((_, nth) => nth));
  });
});

describe("the scripted model server under Anthropic's SDK", () => {
  const answer = { reasoning: "hm", text: ["one", "two"], scripts: ["return 1"], chunks: 3 };
  const params = {
    model: "claude-opus-5-5",
    max_tokens: 1_000,
    messages: question,
    tools: [anthropicTool],
    thinking: { type: "adaptive" as const },
  };

  it("streams what the SDK's own helper accumulates", async () => {
    await using at = await harness(answer);
    const client = new Anthropic({ apiKey, baseURL: at.server.anthropicBaseUrl, maxRetries: 0 });
    const stream = client.messages.stream(params);
    const deltas: string[] = [];
    stream.on("text", (delta) => deltas.push(delta));
    const final = await stream.finalMessage();
    expect(deltas.join("")).toBe("onetwo");
    expect(final.content.map((block) => block.type)).toEqual(["thinking", "text", "text", "tool_use"]);
    expect(final.content.at(-1)).toMatchObject({ name: "javascript", input: { source: "return 1" } });
    expect(final.stop_reason).toBe("tool_use");
    expect(final.usage.output_tokens).toBeGreaterThan(0);
  });

  it("answers whole when not asked to stream", async () => {
    await using at = await harness(answer);
    const client = new Anthropic({ apiKey, baseURL: at.server.anthropicBaseUrl, maxRetries: 0 });
    const final = await client.messages.create(params);
    expect(final.content.map((block) => block.type)).toEqual(["thinking", "text", "text", "tool_use"]);
  });

  it("sends the events in the order of the API", async () => {
    await using at = await harness({ text: "hello", scripts: ["1"], chunks: 1 });
    const response = await post(
      `${at.server.url}/v1/messages`,
      { ...params, stream: true },
      { "x-api-key": "k" },
    );
    const names = [...(await response.text()).matchAll(/^event: (.*)$/gm)].map((match) => match[1]);
    expect(names).toEqual([
      "message_start",
      "ping",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "content_block_start",
      "content_block_delta",
      "content_block_delta",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "message_stop",
    ]);
  });
});

describe("the scripted model server", () => {
  it.each([
    ["/v1/responses", { error: { type: "invalid_request_error", param: null, code: null } }],
    ["/responses", { error: { type: "invalid_request_error" } }],
    ["/v1/messages", { type: "error", error: { type: "authentication_error" } }],
    ["/messages", { type: "error", error: { type: "authentication_error" } }],
  ])("answers %s without a key with 401 in the provider's format", async (path, body) => {
    await using at = await harness({ text: "ok" });
    const response = await post(`${at.server.url}${path}`, {});
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject(body);
  });

  it("answers 404 elsewhere and 400 to what is no JSON", async () => {
    await using at = await harness({ text: "ok" });
    expect((await post(`${at.server.url}/v1/chat/completions`, {})).status).toBe(404);
    const response = await post(`${at.server.url}/v1/responses`, "{", { authorization: "Bearer k" });
    expect(response.status).toBe(400);
  });

  it("answers 500 when the script throws", async () => {
    await using at = await harness(() => {
      throw new Error("no reply for this");
    });
    const body = { model: "gpt-5", input: "Hi" };
    const response = await post(`${at.server.url}/responses`, body, { authorization: "Bearer k" });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("no reply") } });
  });

  it("shows the script the conversation without the provider's format", async () => {
    const seen: unknown[] = [];
    await using at = await harness((call) => {
      seen.push(call);
      return { text: "ok" };
    });
    const input = [
      { role: "user", content: "One" },
      { role: "assistant", content: "Two" },
      { type: "function_call", call_id: "c", name: "javascript", arguments: '{"source":"1"}' },
      { type: "function_call_output", call_id: "c", output: "uno" },
    ];
    const body = { model: "gpt-5", instructions: "Be brief.", tools: [functionTool], input };
    await post(`${at.server.url}/responses`, body, { authorization: "Bearer k" });
    expect(seen).toMatchObject([
      {
        provider: "openai",
        model: "gpt-5",
        instructions: "Be brief.",
        turns: [
          { type: "user", text: "One", images: 0 },
          { type: "assistant", text: "Two" },
          { type: "script", id: "c", source: "1" },
          { type: "output", id: "c", output: "uno", failed: false },
        ],
        lastUserText: "One",
        lastScriptOutputs: ["uno"],
        attempt: 1,
      },
    ]);
  });

  it("keeps only the latest requests", async () => {
    const server = await startModelServer({ respond: () => ({ text: "ok" }), keep: 2 });
    for (const input of ["1", "2", "3"]) {
      await post(`${server.url}/responses`, { model: "gpt-5", input }, { authorization: "Bearer k" });
    }
    expect(server.requests.map((one) => one.parsed)).toMatchObject([{ input: "2" }, { input: "3" }]);
    await server.close();
  });

  it("cuts a text into pieces and finds common beginnings", () => {
    expect(pieces("abcdef", 3)).toEqual(["ab", "cd", "ef"]);
    expect(pieces("", 3)).toEqual([""]);
    expect(pieces("ab", 9)).toEqual(["a", "b"]);
    const length = (a: string, b: string) => commonPrefix(Buffer.from(a), Buffer.from(b));
    expect([length("abc", "abd"), length("abc", "abc"), length("", "x"), length("x", "y")]).toEqual([
      2, 3, 0, 0,
    ]);
  });
});
