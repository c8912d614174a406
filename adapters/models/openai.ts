/**
 * The model port over OpenAI's Responses API, streamed and stateless.
 */
import type { ResponseCreateParamsStreaming } from "openai/resources/responses/responses";
import type { ModelSpec } from "../../contract/models.ts";
import type { Model, ModelRequest } from "../../core/ports/model.ts";
import { checkedSpec, checkImages } from "./limits.ts";
import { toInput } from "./openai-input.ts";
import { readResponse } from "./openai-stream.ts";
import { DEFAULT_TIMEOUTS, type ModelTimeouts, watched } from "./watch.ts";

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
    input: toInput(request.transcript),
    ...reasoning(spec, request),
    stream: true,
  };
}

/** A `Model` for the `openai/` models. */
export function createOpenaiModel(
  baseUrl: string | undefined,
  timeouts: ModelTimeouts = DEFAULT_TIMEOUTS,
): Model {
  return {
    async generate(request, listener, signal) {
      signal.throwIfAborted();
      const spec = checkedSpec(request);
      const body = openaiBody(spec, request);
      checkImages(spec, request, body);
      const { default: OpenAI, ...errors } = await import("openai");
      const sdk = { ...errors, SdkError: errors.OpenAIError };
      const { apiKey, tool } = request;
      return watched({ signal, idleMs: timeouts.idleMs, apiKey, sdk }, async (watch) => {
        const client = new OpenAI({
          apiKey,
          baseURL: baseUrl || DEFAULT_BASE_URL,
          // Null keeps the SDK from taking these from the environment.
          adminAPIKey: null,
          organization: null,
          project: null,
          webhookSecret: null,
          maxRetries: 0,
          timeout: timeouts.headersMs,
          // The SDK would print what it cannot parse.
          logLevel: "off",
          fetch: watch.fetch,
        });
        const events = await client.responses.create(body, { signal: watch.signal });
        return readResponse(events, { tool, listener, apiKey });
      });
    },
  };
}
