import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { Answer, Reply } from "../../local/model/reply.ts";
import { apiKey, type Harness, harness, insertAfter, rawEvent } from "./support.ts";

const openaiOf = (at: Harness) => new OpenAI({ apiKey, baseURL: at.server.openaiBaseUrl, maxRetries: 0 });
const anthropicOf = (at: Harness) =>
  new Anthropic({ apiKey, baseURL: at.server.anthropicBaseUrl, maxRetries: 0 });

const asked = { model: "gpt-5", input: "Hi", reasoning: { effort: "low" as const } };
const messages = [{ role: "user" as const, content: "Hi" }];
const askedAnthropic = {
  model: "claude-opus-5-5",
  max_tokens: 1_000,
  messages,
  thinking: { type: "adaptive" as const },
};

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function openaiEvents(answer: Answer): Promise<OpenAI.Responses.ResponseStreamEvent[]> {
  await using at = await harness(answer);
  return all(await openaiOf(at).responses.create({ ...asked, stream: true }));
}

async function anthropicEvents(answer: Answer): Promise<Anthropic.RawMessageStreamEvent[]> {
  await using at = await harness(answer);
  return all(await anthropicOf(at).messages.create({ ...askedAnthropic, stream: true }));
}

const calls = [
  { id: "same", name: "", arguments: "{}" },
  { id: "same", name: "<|channel|>", arguments: "{}" },
  { name: "n".repeat(457), arguments: "{}" },
];
const named = [
  { id: "same", name: "" },
  { id: "same", name: "<|channel|>" },
  { id: expect.stringMatching(/^(call|toolu)_/), name: "n".repeat(457) },
];

describe("a scripted answer on OpenAI's wire", () => {
  it("calls tools by any name and under any id, the same twice", async () => {
    const final = (await openaiEvents({ calls })).at(-1);
    const output = final?.type === "response.completed" ? final.response.output : [];
    expect(output).toMatchObject(named.map(({ id, name }) => ({ call_id: id, name })));
  });

  it("has a call that breaks off in the final response only, as incomplete", async () => {
    const events = await openaiEvents({ calls: [{ arguments: '{"source":"ret' }], stop: "length" });
    const pieces = events.flatMap((event) =>
      event.type === "response.function_call_arguments.delta" ? [event.delta] : [],
    );
    expect(pieces.join("")).toBe('{"source":"ret');
    expect(events.map((event) => event.type)).not.toContain("response.output_item.done");
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: {
        incomplete_details: { reason: "max_output_tokens" },
        output: [{ type: "function_call", arguments: '{"source":"ret', status: "incomplete" }],
      },
    });
  });

  it("has reasoning that breaks off in the final response only, as incomplete", async () => {
    const events = await openaiEvents({ reasoning: "hm", stop: "length" });
    expect(events.map((event) => event.type)).not.toContain("response.output_item.done");
    expect(events.at(-1)).toMatchObject({
      type: "response.incomplete",
      response: { output: [{ type: "reasoning", status: "incomplete" }] },
    });
  });

  const refusal = { type: "refusal", refusal: expect.stringContaining("I cannot help") };
  it.each<[Answer, object]>([
    [{ stop: "refusal" }, { output: [{ content: [refusal] }] }],
    [{ stop: "content_filter" }, { incomplete_details: { reason: "content_filter" }, output: [] }],
    [{ stopReason: "of_tomorrow" }, { incomplete_details: { reason: "of_tomorrow" }, status: "incomplete" }],
  ])("ends as %j says", async (answer, response) => {
    expect((await openaiEvents(answer)).at(-1)).toMatchObject({ response });
  });
});

describe("a scripted answer on Anthropic's wire", () => {
  const started = (events: readonly Anthropic.RawMessageStreamEvent[]) =>
    events.flatMap((event) => (event.type === "content_block_start" ? [event.content_block] : []));

  it("calls tools by any name and under any id, the same twice", async () => {
    expect(started(await anthropicEvents({ calls }))).toMatchObject(named);
  });

  it("has a call that breaks off end in the middle of its arguments", async () => {
    const events = await anthropicEvents({ calls: [{ arguments: '{"source":"ret' }], stop: "length" });
    const pieces = events.flatMap((event) =>
      event.type === "content_block_delta" && event.delta.type === "input_json_delta"
        ? [event.delta.partial_json]
        : [],
    );
    expect(pieces.join("")).toBe('{"source":"ret');
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "max_tokens" } });
  });

  it("has reasoning alone when the limit was reached in it", async () => {
    const events = await anthropicEvents({ reasoning: "hm", stop: "length" });
    expect(started(events)).toMatchObject([{ type: "thinking" }]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "max_tokens" } });
  });

  it.each<[Answer, object]>([
    [{ stop: "refusal" }, { stop_reason: "refusal", stop_details: { type: "refusal", explanation: null } }],
    [{ stop: "content_filter", text: "No." }, { stop_reason: "refusal" }],
    [{ stopReason: "pause_turn" }, { stop_reason: "pause_turn", stop_details: null }],
    [{ stopReason: "model_context_window_exceeded" }, { stop_reason: "model_context_window_exceeded" }],
    [{ stopReason: "of_tomorrow", stop: "length" }, { stop_reason: "of_tomorrow" }],
  ])("ends as %j says", async (answer, delta) => {
    expect((await anthropicEvents(answer)).at(-2)).toMatchObject({ delta });
  });
});

describe.each([
  ["openai", openaiEvents, "response.in_progress"],
  ["anthropic", anthropicEvents, "ping"],
] as const)("raw events on the wire of %s", (provider, streamed, early) => {
  it("are sent as they are in place of an answer", async () => {
    const events = [rawEvent("message_start", { message: { role: "robot" } }), rawEvent("message_stop")];
    expect(await streamed({ text: "unheard", events })).toEqual(events.map((event) => event.data));
  });

  it("stand among those of the answer", async () => {
    const unknown = rawEvent("content_block_delta", { index: 0, delta: { type: "delta_of_tomorrow" } });
    const seen = await streamed({ text: "heard", chunks: 1, events: insertAfter(early, unknown) });
    expect(seen).toContainEqual(unknown.data);
    expect(JSON.stringify(seen)).toContain("heard");
  });

  it("are refused to a request that does not stream", async () => {
    await using at = await harness({ events: [] });
    const asking =
      provider === "openai"
        ? openaiOf(at).responses.create(asked)
        : anthropicOf(at).messages.create(askedAnthropic);
    await expect(asking).rejects.toMatchObject({ status: 500 });
  });
});

describe("a script that refuses", () => {
  const httpError = { status: 400, type: "invalid_request_error", message: "No.", code: "c", param: "input" };

  it("sees the whole request", async () => {
    const seen: unknown[] = [];
    await using at = await harness((call): Reply => {
      seen.push(call.body);
      return { text: "ok" };
    });
    await openaiOf(at).responses.create(asked);
    await anthropicOf(at).messages.create(askedAnthropic);
    expect(seen).toEqual([asked, askedAnthropic]);
  });

  it("says to OpenAI's SDK which parameter is wrong, and to Anthropic's that the request is", async () => {
    await using at = await harness({ httpError });
    await expect(openaiOf(at).responses.create(asked)).rejects.toMatchObject({
      status: 400,
      code: "c",
      param: "input",
      type: "invalid_request_error",
    });
    await expect(anthropicOf(at).messages.create(askedAnthropic)).rejects.toBeInstanceOf(
      Anthropic.BadRequestError,
    );
  });
});

describe("sealed reasoning", () => {
  const more = { role: "user" as const, content: "And?" };

  it("is refused by OpenAI's wire once the seals are rotated, and accepted when it was sealed since", async () => {
    await using at = await harness({ reasoning: "hm", text: "Hello." });
    const client = openaiOf(at);
    const ask = async () => {
      const { output } = await client.responses.create(asked);
      return output.map((item) => (item.type === "reasoning" ? { ...item, status: undefined } : item));
    };
    const goOn = (output: unknown[]) =>
      client.responses.create({ ...asked, input: JSON.parse(JSON.stringify([more, ...output, more])) });
    const old = await ask();
    await goOn(old);
    at.server.rotateSeals();
    await expect(goOn(old)).rejects.toMatchObject({
      status: 400,
      code: "invalid_encrypted_content",
      message: expect.stringMatching(
        /The encrypted content for item rs_\w+ could not be verified\. Reason: Encrypted content could not be decrypted or parsed\./,
      ),
    });
    await goOn(await ask());
  });

  it("is refused by Anthropic's wire once the seals are rotated, and accepted when it was sealed since", async () => {
    await using at = await harness({ reasoning: "hm", text: "Hello." });
    const client = anthropicOf(at);
    const ask = async () => (await client.messages.create(askedAnthropic)).content;
    const goOn = (content: Anthropic.ContentBlock[]) =>
      client.messages.create({
        ...askedAnthropic,
        messages: [...messages, { role: "assistant", content }, more],
      });
    const old = await ask();
    await goOn(old);
    at.server.rotateSeals();
    await expect(goOn(old)).rejects.toMatchObject({
      status: 400,
      error: {
        error: {
          type: "invalid_request_error",
          message: "messages.1.content.0: Invalid `signature` in `thinking` block",
        },
      },
    });
    await goOn(await ask());
  });
});
