/**
 * The model port over Anthropic's Messages API, streamed.
 *
 * Prompt caching: a breakpoint on the system prompt lets every session of an agent share the tool and the
 * instructions; the conversation is cached by the top-level `cache_control`, with which the API itself puts a
 * breakpoint on the last block and moves it along. A breakpoint of ours that moved with the conversation would
 * change bytes in the middle of it from request to request.
 */
import type {
  MessageCreateParamsStreaming,
  OutputConfig,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { Effort, ModelSpec } from "../../contract/models.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { mayThink, toMessages } from "./anthropic-input.ts";
import { locateIn } from "./anthropic-refusal.ts";
import { readMessage } from "./anthropic-stream.ts";
import type { Provider } from "./provider.ts";

const DEFAULT_BASE_URL = "https://api.anthropic.com";

/**
 * Thinking tokens of models that take a budget: at least 1,024, the API's minimum, and far below the 64,000
 * tokens that these models may put out, from which the budget is taken.
 */
const budgets: Partial<Record<Effort, number>> = { minimal: 1_024, low: 2_048, medium: 8_192, high: 16_384 };

/** The API knows no effort below `low`. */
const efforts: Partial<Record<Effort, NonNullable<OutputConfig["effort"]>>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

/** Thinking is private here, so its text is not asked for: the signature alone carries it to later requests. */
const display = "omitted";

function thinking(spec: ModelSpec, request: ModelRequest): Partial<MessageCreateParamsStreaming> {
  const off: Partial<MessageCreateParamsStreaming> = { thinking: { type: "disabled" } };
  if (request.effort === "off") return off;
  if (spec.reasoning === "budget") {
    const budget = budgets[request.effort];
    if (budget === undefined || !mayThink(request.transcript)) return off;
    return { thinking: { type: "enabled", budget_tokens: budget, display } };
  }
  const effort = efforts[request.effort];
  return {
    thinking: { type: "adaptive", display },
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
}

/**
 * The request body. Its order matters: what is the same in every request of a session comes before `messages`,
 * the growing conversation, and what may change (the effort) comes after it.
 */
export function anthropicBody(spec: ModelSpec, request: ModelRequest): MessageCreateParamsStreaming {
  const { tool, instructions } = request;
  const system = { type: "text" as const, text: instructions, cache_control: { type: "ephemeral" as const } };
  return {
    model: spec.id,
    max_tokens: spec.maxOutputTokens,
    cache_control: { type: "ephemeral" },
    tools: [
      {
        name: tool.name,
        description: tool.description,
        input_schema: { ...tool.parameters, type: "object" },
      },
    ],
    ...(instructions.trim() === "" ? {} : { system: [system] }),
    messages: toMessages(request.transcript).messages,
    ...thinking(spec, request),
    stream: true,
  };
}

/** The `anthropic/` models. */
export const anthropic = (baseUrl: string | undefined): Provider<MessageCreateParamsStreaming> => ({
  baseUrl: baseUrl || DEFAULT_BASE_URL,
  write: (spec, request) => ({
    body: anthropicBody(spec, request),
    locate: locateIn(() => toMessages(request.transcript).origins),
  }),
  async load() {
    const { default: Anthropic, ...errors } = await import("@anthropic-ai/sdk");
    // Null keeps the SDK from taking this from the environment; without telemetry it traces nothing.
    const environment = { webhookKey: null, openTelemetry: false } as const;
    return {
      errors: { ...errors, SdkError: errors.AnthropicError },
      send: (options, body, signal) =>
        new Anthropic({ ...options, ...environment }).messages.create(body, { signal }),
    };
  },
  read: readMessage,
});
