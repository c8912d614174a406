/**
 * The model port over OpenAI's Responses API, streamed and stateless.
 */
import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { ModelSpec } from "../../contract/models.ts";
import type { ModelRequest } from "../../core/ports/model.ts";
import { toInput } from "./openai-input.ts";
import { locateIn } from "./openai-refusal.ts";
import { readResponse } from "./openai-stream.ts";
import type { Provider } from "./provider.ts";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** The API refuses longer keys. */
const CACHE_KEY_LIMIT = 64;

function reasoning(spec: ModelSpec, request: ModelRequest): Partial<ResponseCreateParamsStreaming> {
  if (spec.reasoning === "none") return {};
  return {
    reasoning: { effort: request.effort === "off" ? "none" : request.effort },
    include: ["reasoning.encrypted_content"],
  };
}

/**
 * The request body. Its order matters: what is the same in every request of a session comes before `input`,
 * the growing conversation, and what may change (the effort) comes after it.
 */
export function openaiBody(spec: ModelSpec, request: ModelRequest): ResponseCreateParamsStreaming {
  const { tool } = request;
  return {
    model: spec.id,
    ...(request.instructions === "" ? {} : { instructions: request.instructions }),
    tools: [
      {
        type: "function",
        name: tool.name,
        description: tool.description,
        parameters: { ...tool.parameters },
        strict: false,
      },
    ],
    store: false,
    prompt_cache_key: request.cacheKey.slice(0, CACHE_KEY_LIMIT),
    input: toInput(request.transcript).flat(),
    ...reasoning(spec, request),
    stream: true,
  };
}

/** The `openai/` models. */
export const openai = (baseUrl: string | undefined): Provider<ResponseCreateParamsStreaming> => ({
  baseUrl: baseUrl || DEFAULT_BASE_URL,
  write: (spec, request) => ({
    body: openaiBody(spec, request),
    locate: locateIn(() => toInput(request.transcript)),
  }),
  async load() {
    const { default: OpenAI, ...errors } = await import("openai");
    // Null keeps the SDK from taking these from the environment.
    const environment = { adminAPIKey: null, organization: null, project: null, webhookSecret: null };
    return {
      errors: { ...errors, SdkError: errors.OpenAIError },
      send: (options, body, signal) =>
        new OpenAI({ ...options, ...environment }).responses.create(body, { signal }),
    };
  },
  read: readResponse,
});
