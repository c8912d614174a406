/**
 * Anthropic's Messages API as the scripted model speaks it.
 */
import { checkMessages } from "./anthropic-checks.ts";
import { anthropicEvents, messageObject } from "./anthropic-events.ts";
import { anthropicRefusal, invalid } from "./anthropic-refusals.ts";
import { type Message, request } from "./anthropic-request.ts";
import { wireId } from "./ids.ts";
import { sourceOf } from "./openai.ts";
import type { ReadRequest, Tool, Turn, Wire } from "./reply.ts";
import type { Seals } from "./seals.ts";

function text(blocks: readonly { readonly type: string; readonly text?: string }[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text ?? ""] : [])).join("\n");
}

function turnsOf(messages: readonly Message[], tools: readonly Tool[]): Turn[] {
  return messages.flatMap(({ role, content }): Turn[] => {
    const special = content.flatMap((b): Turn[] => {
      if (b.type === "tool_use") {
        return [{ type: "script", id: b.id, source: sourceOf(JSON.stringify(b.input), tools) }];
      }
      if (b.type !== "tool_result") return [];
      const output = typeof b.content === "string" ? b.content : text(b.content);
      return [{ type: "output", id: b.tool_use_id, output, failed: b.is_error }];
    });
    const said = text(content);
    const images = content.filter((b) => b.type === "image").length;
    if (role === "assistant")
      return [...(said === "" ? [] : [{ type: "assistant" as const, text: said }]), ...special];
    const asked = said !== "" || images > 0 ? [{ type: "user" as const, text: said, images }] : [];
    return [...special, ...asked];
  });
}

function read(body: unknown, seals: Seals): ReadRequest {
  const parsed = request.safeParse(body);
  if (!parsed.success) throw anthropicRefusal(parsed.error, body);
  const { model, system, messages, thinking, stream, max_tokens } = parsed.data;
  if (thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens) {
    throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`");
  }
  checkMessages(messages, thinking, seals);
  const tools = parsed.data.tools.map(({ name, description, input_schema }) => ({
    name,
    description: description ?? "",
    parameters: input_schema,
  }));
  return {
    provider: "anthropic",
    model,
    instructions: typeof system === "string" ? system : system.map((at) => at.text).join("\n"),
    tools,
    // One turn a message: consecutive user messages are separate inputs.
    turns: turnsOf(messages, tools),
    reasoning: thinking !== undefined && thinking.type !== "disabled",
    stream,
  };
}

export const anthropicWire: Wire = {
  provider: "anthropic",
  callPrefix: "toolu",
  reasoningPrefix: null,
  bodyLimit: 32 * 1024 * 1024,
  read,
  events: anthropicEvents,
  whole: messageObject,
  error: ({ type, message: text, code }) => ({
    type: "error",
    error: { type, message: text, ...(code === undefined ? {} : { details: { error_code: code } }) },
    request_id: wireId("req"),
  }),
  streamError: ({ type, message: text }) => ({
    event: "error",
    data: { type: "error", error: { type, message: text } },
  }),
};
