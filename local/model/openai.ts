/**
 * OpenAI's Responses API as the scripted model speaks it.
 */
import * as z from "zod";
import { sourceProperty } from "../../adapters/models/script.ts";
import { wireId } from "./ids.ts";
import { openaiEvents, responseObject } from "./openai-events.ts";
import { type ReadRequest, type Tool, type Turn, type Wire, WireProblem } from "./reply.ts";
import type { Seals } from "./seals.ts";

const part = z.object({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part)]);
const item = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), role: z.string(), content }),
  z.object({
    type: z.literal("function_call"),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal("function_call_output"), call_id: z.string(), output: z.string() }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: z.string(),
    summary: z.array(z.unknown()),
    encrypted_content: z.string(),
  }),
]);
type Item = z.infer<typeof item>;

const tool = z.object({
  type: z.literal("function"),
  name: z.string().min(1),
  description: z.string().default(""),
  parameters: z.unknown(),
});
const request = z.object({
  model: z.string().min(1),
  instructions: z.string().default(""),
  tools: z.array(tool).default([]),
  input: z.union([
    z.string().transform((text) => [{ type: "message" as const, role: "user", content: text }]),
    z.array(z.preprocess(withType, item)),
  ]),
  reasoning: z.object({ effort: z.string().nullish() }).nullish(),
  store: z.boolean().default(true),
  stream: z.boolean().default(false),
  prompt_cache_key: z.string().max(64).optional(),
});

/** A message may leave its type out. */
function withType(value: unknown): unknown {
  const message = z.looseObject({ role: z.string(), type: z.undefined().optional() }).safeParse(value);
  return message.success ? { ...message.data, type: "message" } : value;
}

function invalid(message: string): WireProblem {
  return new WireProblem(400, { type: "invalid_request_error", message });
}

/** What the API says about reasoning that it did not encrypt, or no longer can decrypt. */
function unverified(id: string): WireProblem {
  const reason = "Encrypted content could not be decrypted or parsed.";
  return new WireProblem(400, {
    type: "invalid_request_error",
    message: `The encrypted content for item ${id} could not be verified. Reason: ${reason}`,
    code: "invalid_encrypted_content",
  });
}

/** The rules by which the API refuses a conversation with loose ends. */
function checkItems(items: readonly Item[], seals: Seals): void {
  const outputs = new Set(items.flatMap((at) => (at.type === "function_call_output" ? [at.call_id] : [])));
  const calls = new Set<string>();
  items.forEach((at, position) => {
    if (at.type === "function_call") {
      if (calls.has(at.call_id)) throw invalid(`Duplicate call_id ${at.call_id}.`);
      if (!outputs.has(at.call_id)) throw invalid(`No tool output found for function call ${at.call_id}.`);
      calls.add(at.call_id);
    }
    if (at.type === "function_call_output" && !calls.has(at.call_id)) {
      throw invalid(`No tool call found for function call output with call_id ${at.call_id}.`);
    }
    if (at.type !== "reasoning") return;
    const next = items[position + 1];
    const follows = next?.type === "function_call" || next?.type === "reasoning" || isAssistant(next);
    if (!follows)
      throw invalid(`Item '${at.id}' of type 'reasoning' was provided without its following item.`);
    if (!seals.accepts(at.encrypted_content, at.id)) throw unverified(at.id);
  });
}

function isAssistant(at: Item | undefined): boolean {
  return at?.type === "message" && at.role === "assistant";
}

function text(value: z.infer<typeof content>): string {
  return typeof value === "string" ? value : value.map((at) => at.text ?? "").join("\n");
}

function turn(at: Item, tools: readonly Tool[]): Turn[] {
  switch (at.type) {
    case "reasoning":
      return [];
    case "function_call":
      return [{ type: "script", id: at.call_id, source: sourceOf(at.arguments, tools) }];
    case "function_call_output":
      return [{ type: "output", id: at.call_id, output: at.output, failed: false }];
    case "message": {
      if (at.role === "assistant") return [{ type: "assistant", text: text(at.content) }];
      const images = Array.isArray(at.content)
        ? at.content.filter((block) => block.type === "input_image").length
        : 0;
      return [{ type: "user", text: text(at.content), images }];
    }
  }
}

/** The source in a call's arguments, or null. */
export function sourceOf(json: string, tools: readonly Tool[]): string | null {
  const property = sourceProperty(tools[0]?.parameters);
  try {
    const found = z.record(z.string(), z.unknown()).parse(JSON.parse(json))[property];
    return typeof found === "string" ? found : null;
  } catch {
    return null;
  }
}

function read(body: unknown, seals: Seals): ReadRequest {
  const parsed = request.safeParse(body);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const { model, instructions, tools, input, reasoning, stream } = parsed.data;
  checkItems(input, seals);
  return {
    provider: "openai",
    model,
    instructions,
    tools,
    turns: input.flatMap((at) => turn(at, tools)),
    reasoning: reasoning?.effort !== undefined && reasoning.effort !== "none",
    stream,
  };
}

export const openaiWire: Wire = {
  provider: "openai",
  callPrefix: "call",
  reasoningPrefix: "rs",
  read,
  events: openaiEvents,
  whole: (asked, answer) => responseObject(wireId("resp"), asked, answer).final,
  error: ({ type, message, code, param }) => ({
    error: { message, type, param: param ?? null, code: code ?? null },
  }),
  streamError({ type, message, code, param, failed }) {
    if (failed !== true) {
      return {
        event: "error",
        data: { type: "error", code: code ?? type, message, param: param ?? null, sequence_number: 99 },
      };
    }
    const response = { id: wireId("resp"), object: "response", status: "failed", output: [] };
    return {
      event: "response.failed",
      data: {
        type: "response.failed",
        sequence_number: 99,
        response: { ...response, error: { code: code ?? type, message } },
      },
    };
  },
};
