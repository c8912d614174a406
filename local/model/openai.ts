/**
 * OpenAI's Responses API as the scripted model speaks it.
 */
import * as z from "zod";
import { sourceProperty } from "../../adapters/models/script.ts";
import { wireId } from "./ids.ts";
import { checkItems } from "./openai-checks.ts";
import { openaiEvents, responseObject } from "./openai-events.ts";
import { openaiRefusal } from "./openai-refusals.ts";
import { type Content, type Item, request } from "./openai-request.ts";
import type { ReadRequest, Tool, Turn, Wire } from "./reply.ts";
import type { Seals } from "./seals.ts";

function text(value: Content): string {
  return typeof value === "string" ? value : value.map((at) => at.text ?? "").join("\n");
}

function turn(at: Item, tools: readonly Tool[]): Turn[] {
  switch (at.type) {
    case "reasoning":
      return [];
    case "function_call":
      return [{ type: "script", id: at.call_id, source: sourceOf(at.arguments, tools) }];
    case "function_call_output":
      return [{ type: "output", id: at.call_id, output: text(at.output), failed: false }];
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
  if (!parsed.success) throw openaiRefusal(parsed.error, body);
  const { model, instructions, input, reasoning, stream } = parsed.data;
  checkItems(input, seals);
  const tools = parsed.data.tools.map((tool) => ({
    name: tool.name,
    description: tool.description ?? "",
    parameters: tool.parameters,
  }));
  return {
    provider: "openai",
    model,
    instructions: instructions ?? "",
    tools,
    turns: input.flatMap((at) => turn(at, tools)),
    reasoning: typeof reasoning?.effort === "string" && reasoning.effort !== "none",
    stream: stream ?? false,
  };
}

export const openaiWire: Wire = {
  provider: "openai",
  callPrefix: "call",
  reasoningPrefix: "rs",
  bodyLimit: 64 * 1024 * 1024,
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
