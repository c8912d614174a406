/**
 * Anthropic's Messages API as the scripted model speaks it.
 */
import * as z from "zod";
import { anthropicEvents, messageObject } from "./anthropic-events.ts";
import { wireId } from "./ids.ts";
import { sourceOf } from "./openai.ts";
import { type ReadRequest, type Tool, type Turn, type Wire, WireProblem } from "./reply.ts";
import type { Seals } from "./seals.ts";

const filled = z.string().refine((text) => text.trim() !== "", "text content blocks must be non-empty");
const textBlock = z.object({ type: z.literal("text"), text: filled });
const block = z.discriminatedUnion("type", [
  textBlock,
  z.object({ type: z.literal("image"), source: z.object({ type: z.string() }) }),
  z.object({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.object({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(textBlock)]).default(""),
    is_error: z.boolean().default(false),
  }),
]);
type Block = z.infer<typeof block>;

const message = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.union([
    filled.transform((text): Block[] => [{ type: "text", text }]),
    z.array(block).min(1, "all messages must have non-empty content"),
  ]),
});
type Message = z.infer<typeof message>;

const request = z.object({
  model: z.string().min(1),
  max_tokens: z.number().int().positive(),
  system: z.union([z.string(), z.array(textBlock)]).default(""),
  tools: z
    .array(z.object({ name: z.string(), description: z.string().default(""), input_schema: z.unknown() }))
    .default([]),
  messages: z.array(message).min(1),
  thinking: z.object({ type: z.string(), budget_tokens: z.number().int().min(1_024).optional() }).optional(),
  stream: z.boolean().default(false),
});

function invalid(message: string): WireProblem {
  return new WireProblem(400, { type: "invalid_request_error", message });
}

/** Consecutive messages of one role count as one, as in the API. */
function joined(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const at of messages) {
    const last = turns.at(-1);
    if (last?.role === at.role) last.content.push(...at.content);
    else turns.push({ role: at.role, content: [...at.content] });
  }
  return turns;
}

/** The rules by which the API refuses a conversation with loose ends. */
function checkMessages(turns: readonly Message[], seals: Seals): void {
  if (turns[0]?.role !== "user") throw invalid("messages: first message must use the user role");
  turns.forEach((turn, at) => {
    checkThinking(turn, at, seals);
    const calls = turns[at - 1]?.content.flatMap((b) => (b.type === "tool_use" ? [b.id] : [])) ?? [];
    const results = turn.content.flatMap((b) => (b.type === "tool_result" ? [b.tool_use_id] : []));
    const open = calls.find((id) => !results.includes(id));
    if (open)
      throw invalid(`messages.${at - 1}: tool_use ids were found without tool_result blocks: ${open}`);
    const stray = results.find((id, position) => !calls.includes(id) || results.indexOf(id) !== position);
    if (stray) throw invalid(`messages.${at}: unexpected tool_use_id found in tool_result blocks: ${stray}`);
  });
  const last = turns.at(-1);
  if (last?.role === "assistant") throw invalid("This model does not support assistant message prefill.");
}

function checkThinking(turn: Message, at: number, seals: Seals): void {
  const last = turn.content.at(-1);
  if (last?.type === "thinking" || last?.type === "redacted_thinking") {
    throw invalid(`messages.${at}: The final block in an assistant message cannot be \`thinking\`.`);
  }
  turn.content.forEach((b, position) => {
    if (b.type !== "thinking") return;
    // Thinking that is left out is the signature's alone.
    const whole = b.thinking === "" || seals.holds(b.signature, b.thinking);
    if (!whole || !seals.accepts(b.signature)) {
      throw invalid(`messages.${at}.content.${position}: Invalid \`signature\` in \`thinking\` block`);
    }
  });
}

function turnsOf(messages: readonly Message[], tools: readonly Tool[]): Turn[] {
  return messages.flatMap(({ role, content }): Turn[] => {
    const special = content.flatMap((b): Turn[] => {
      if (b.type === "tool_use") {
        return [{ type: "script", id: b.id, source: sourceOf(JSON.stringify(b.input), tools) }];
      }
      if (b.type !== "tool_result") return [];
      const output = typeof b.content === "string" ? b.content : b.content.map((at) => at.text).join("\n");
      return [{ type: "output", id: b.tool_use_id, output, failed: b.is_error }];
    });
    const text = content.flatMap((b) => (b.type === "text" ? [b.text] : [])).join("\n");
    const images = content.filter((b) => b.type === "image").length;
    if (role === "assistant")
      return [...(text === "" ? [] : [{ type: "assistant" as const, text }]), ...special];
    const said = text !== "" || images > 0 ? [{ type: "user" as const, text, images }] : [];
    return [...special, ...said];
  });
}

function read(body: unknown, seals: Seals): ReadRequest {
  const parsed = request.safeParse(body);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const { model, system, thinking, stream, max_tokens } = parsed.data;
  if ((thinking?.budget_tokens ?? 0) >= max_tokens) {
    throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`");
  }
  checkMessages(joined(parsed.data.messages), seals);
  const tools = parsed.data.tools.map(({ input_schema, ...tool }) => ({ ...tool, parameters: input_schema }));
  return {
    provider: "anthropic",
    model,
    instructions: typeof system === "string" ? system : system.map((at) => at.text).join("\n"),
    tools,
    // One turn a message: consecutive user messages are separate inputs.
    turns: turnsOf(parsed.data.messages, tools),
    reasoning: thinking !== undefined && thinking.type !== "disabled",
    stream,
  };
}

export const anthropicWire: Wire = {
  provider: "anthropic",
  callPrefix: "toolu",
  reasoningPrefix: null,
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
