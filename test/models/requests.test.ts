import { describe, expect, it } from "vitest";
import { anthropicBody } from "../../adapters/models/anthropic.ts";
import { openaiBody } from "../../adapters/models/openai.ts";
import { type Effort, modelSpec } from "../../contract/models.ts";
import type { ModelReply, TranscriptEntry } from "../../core/ports/model.ts";
import { commonPrefix } from "../../local/model/record.ts";
import { assistant, failure, harness, models, output, request, sent, user } from "./support.ts";

function spec(name: string) {
  const found = modelSpec(name);
  if (found === null) throw new Error(`${name} is not registered`);
  return found;
}

/** The position right after the last item of the conversation, in bytes. */
function endOfConversation(body: Buffer): number {
  const parsed = JSON.parse(body.toString("utf8"));
  const items: unknown[] = parsed.input ?? parsed.messages;
  const last = Buffer.from(JSON.stringify(items.at(-1)));
  return body.lastIndexOf(last) + last.length;
}

describe.each(models)("the body of a request to %s", (name) => {
  it("begins with the bytes of the request before it, up to the end of its conversation", async () => {
    await using at = await harness((call) =>
      call.lastScriptOutputs.length > 0
        ? { reasoning: "more", text: ["Found ümläut 😀.", "Second block"] }
        : { reasoning: "thinking", text: "Looking.", scripts: ["return 1", 'return "é"'] },
    );
    const transcript: TranscriptEntry[] = [user("Hello 😀")];
    const efforts: Effort[] = ["medium", "high", "low", "medium"];
    const say = async (effort: Effort | undefined): Promise<ModelReply> => {
      const reply = await at.ask(request(name, { transcript: [...transcript], effort: effort ?? "medium" }));
      // What is stored is JSON; it must come back from there with the same bytes.
      transcript.push(JSON.parse(JSON.stringify(assistant(reply))));
      return reply;
    };
    const calls = await say(efforts[0]);
    for (const script of calls.scripts) transcript.push(output(script.id, "result"));
    await say(efforts[1]);
    transcript.push(user("First"), user("and second, in a message of its own"));
    const more = await say(efforts[2]);
    for (const script of more.scripts) transcript.push(output(script.id, ""));
    transcript.push(user("a word in between"));
    await say(efforts[3]);

    const bodies = at.server.requests.map((one) => one.body);
    expect(bodies.length).toBe(4);
    for (const [nth, body] of bodies.slice(1).entries()) {
      const before = bodies[nth] ?? Buffer.alloc(0);
      expect(commonPrefix(before, body)).toBeGreaterThanOrEqual(endOfConversation(before));
    }
  });

  it("is the same, byte for byte, when the request is tried again", async () => {
    await using at = await harness({ text: "ok" });
    await at.ask(request(name));
    await at.ask(request(name));
    expect(at.server.requests.map((one) => one.attempt)).toEqual([1, 2]);
  });

  it("carries text that UTF-8 cannot, with a replacement", async () => {
    await using at = await harness((call) => ({ text: call.lastUserText }));
    const reply = await at.ask(request(name, { transcript: [user("a\ud800b\u0000")] }));
    expect(reply.text).toEqual(["a\uFFFDb\uFFFD"]);
  });

  it("carries a user entry without anything to read", async () => {
    await using at = await harness({ text: "ok" });
    await at.ask(request(name, { instructions: "", transcript: [user(" \n"), user("")] }));
    expect(at.server.requests.length).toBe(1);
  });

  it("refuses an effort that the model does not have", async () => {
    await using at = await harness({ text: "ok" });
    const failed = await failure(at.ask(request(name, { effort: "minimal" })));
    expect(failed).toMatchObject({ retryable: false, message: expect.stringContaining("low, medium, high") });
  });
});

describe("the body of a request to OpenAI", () => {
  const body = (name: string, effort: Effort) => openaiBody(spec(name), request(name, { effort }));

  it.each<[string, Effort, unknown]>([
    ["openai/gpt-4o", "off", undefined],
    ["openai/gpt-5.6-sol", "off", { effort: "none" }],
    ["openai/gpt-5.6-sol", "max", { effort: "max" }],
    ["openai/gpt-5", "minimal", { effort: "minimal" }],
    ["openai/gpt-5-pro", "high", { effort: "high" }],
    ["openai/gpt-5.2", "xhigh", { effort: "xhigh" }],
    ["openai/o3", "low", { effort: "low" }],
  ])("asks %s for effort %s with %j", (name, effort, reasoning) => {
    expect(body(name, effort).reasoning).toEqual(reasoning);
    expect(body(name, effort).include).toEqual(
      reasoning === undefined ? undefined : ["reasoning.encrypted_content"],
    );
  });

  it("is stateless, has the tool without strict mode, and names the cache", () => {
    expect(body("openai/gpt-6.1-sol", "low")).toMatchObject({
      model: "gpt-6.1-sol",
      instructions: "Be brief.",
      store: false,
      stream: true,
      prompt_cache_key: "ses_1",
      tools: [{ type: "function", name: "javascript", strict: false }],
    });
    expect(body("openai/gpt-6.1-sol", "low")).not.toHaveProperty("parallel_tool_calls");
  });

  it("keeps the key of the cache within 64 characters", () => {
    const long = openaiBody(spec("openai/gpt-5"), request("openai/gpt-5", { cacheKey: "k".repeat(80) }));
    expect(long.prompt_cache_key).toBe("k".repeat(64));
  });
});

describe("the body of a request to Anthropic", () => {
  const body = (name: string, effort: Effort, transcript: TranscriptEntry[] = [user("Hello")]) =>
    anthropicBody(spec(name), request(name, { effort, transcript }));
  const display = "omitted";

  it.each<[string, Effort, unknown, unknown]>([
    ["anthropic/claude-haiku-4-5", "off", { type: "disabled" }, undefined],
    ["anthropic/claude-haiku-4-5", "minimal", { type: "enabled", budget_tokens: 1_024, display }, undefined],
    ["anthropic/claude-haiku-4-5", "low", { type: "enabled", budget_tokens: 2_048, display }, undefined],
    ["anthropic/claude-haiku-4-5", "medium", { type: "enabled", budget_tokens: 8_192, display }, undefined],
    ["anthropic/claude-haiku-4-5", "high", { type: "enabled", budget_tokens: 16_384, display }, undefined],
    ["anthropic/claude-opus-4-6", "off", { type: "disabled" }, undefined],
    ["anthropic/claude-opus-4-6", "minimal", { type: "adaptive", display }, { effort: "low" }],
    ["anthropic/claude-opus-4-6", "max", { type: "adaptive", display }, { effort: "max" }],
    ["anthropic/claude-sonnet-5", "xhigh", { type: "adaptive", display }, { effort: "xhigh" }],
    ["anthropic/claude-opus-5-5", "medium", { type: "adaptive", display }, { effort: "medium" }],
  ])("asks %s for effort %s with %j and %j", (name, effort, thinking, config) => {
    expect(body(name, effort).thinking).toEqual(thinking);
    expect(body(name, effort).output_config).toEqual(config);
  });

  it("asks for the model's whole output and caches instructions and conversation", () => {
    expect(body("anthropic/claude-haiku-4-5", "low")).toMatchObject({
      model: "claude-haiku-4-5",
      max_tokens: 64_000,
      stream: true,
      cache_control: { type: "ephemeral" },
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
      tools: [{ name: "javascript", input_schema: { type: "object" } }],
    });
    expect(JSON.stringify(body("anthropic/claude-haiku-4-5", "low").messages)).not.toContain("cache_control");
  });

  it("does not start to think in the middle of a tool loop that began without", () => {
    const use = { type: "tool_use", id: "t1", name: "javascript", input: {} };
    const thought = { type: "thinking", thinking: "", signature: "s" };
    const loop = (native: readonly (typeof use | typeof thought)[]): TranscriptEntry[] => [
      user("Hello"),
      { type: "assistant", native, scriptIds: ["t1"] },
      output("t1", "1"),
    ];
    const over: TranscriptEntry = {
      type: "assistant",
      native: [{ type: "text", text: "Hi" }],
      scriptIds: [],
    };
    const name = "anthropic/claude-haiku-4-5";
    expect(body(name, "high", loop([use])).thinking?.type).toBe("disabled");
    expect(body(name, "high", loop([thought, use])).thinking?.type).toBe("enabled");
    expect(body(name, "high", [...loop([use]), over, user("Next")]).thinking?.type).toBe("enabled");
    expect(body("anthropic/claude-opus-4-6", "high", loop([use])).thinking?.type).toBe("adaptive");
  });

  it("puts results together in one message and leaves user entries apart", async () => {
    await using at = await harness((call) =>
      call.turns.length === 1 ? { scripts: ["1", "2"] } : { text: "ok" },
    );
    const name = "anthropic/claude-opus-5-5";
    const first = await at.ask(request(name));
    const results = first.scripts.map((script) => output(script.id, "r"));
    await at.ask(
      request(name, { transcript: [user("Hello"), assistant(first), ...results, user("a"), user("b")] }),
    );
    const { messages } = sent(at.server, 1);
    expect(messages).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "user", content: [{ type: "tool_result" }, { type: "tool_result" }] },
      { role: "user", content: [{ type: "text", text: "a" }] },
      { role: "user", content: [{ type: "text", text: "b" }] },
    ]);
  });
});
