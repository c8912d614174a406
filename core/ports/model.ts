import type { Json, JsonObject } from "../../contract/json.ts";

/** Reasoning effort of a model request; `off` for models that do not reason. */
export type Effort = "off" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

/** One block of what a user sent. Image bytes are base64. */
export type UserBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly base64: string };

/**
 * One entry of the conversation that the model sees. Entries are append-only and map to the
 * provider's wire format one by one, so that the prefix of every request stays byte-identical.
 */
export type TranscriptEntry =
  | { readonly type: "user"; readonly content: readonly UserBlock[] }
  /**
   * What the model answered, in the provider's own items, opaque to the core. Its calls take these ids in their
   * order, each the only one of its kind in the conversation. Unsealed: its sealed reasoning is left out.
   */
  | {
      readonly type: "assistant";
      readonly native: Json;
      readonly scriptIds: readonly string[];
      readonly unsealed?: boolean;
    }
  /** The outcome of one script call of the entry before it. */
  | { readonly type: "script"; readonly id: string; readonly output: string; readonly failed: boolean };

/** The one tool the model has. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
};

export type ModelRequest = {
  /** Registered id with its provider, for example `openai/gpt-6.1-sol`. */
  readonly model: string;
  readonly apiKey: string;
  readonly instructions: string;
  readonly tool: ToolDefinition;
  readonly transcript: readonly TranscriptEntry[];
  readonly effort: Effort;
  /** Stable for a session: lets the provider find its prompt cache. */
  readonly cacheKey: string;
};

/** A script the model asked for. `source` is null when its arguments were unusable; `problem` then says why. */
export type ScriptRequest =
  | { readonly id: string; readonly source: string }
  | { readonly id: string; readonly source: null; readonly problem: string };

export type ModelUsage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
};

export type ModelReply = {
  /** Public text blocks in order, empty ones left out. Private reasoning is never here. */
  readonly text: readonly string[];
  readonly scripts: readonly ScriptRequest[];
  /** The provider's output items, replayed verbatim in later requests. */
  readonly native: Json;
  /** The answer reached a limit of its length: it is not all that the model wanted to say. */
  readonly cut: boolean;
  readonly usage: ModelUsage;
};

export type ModelListener = {
  /** A piece of public text of block `contentIndex` (its index in `ModelReply.text`). */
  onText(text: string, contentIndex: number): void;
};

/** What a provider does not take of a request, where it is something that can be mended. */
export type Objection =
  /** The conversation, or a text that it does not name, is too long. */
  | { readonly to: "length" }
  /** Sealed reasoning that it cannot read any more. */
  | { readonly to: "seals" }
  /** What is said, for safety. */
  | { readonly to: "content" }
  /** One entry of the transcript, by its index. */
  | { readonly to: "entry"; readonly entry: number }
  /** The request, for a reason that cannot be told. */
  | { readonly to: "request" };

/**
 * A model request that failed. `message` is bounded (at most 500 characters) and holds the HTTP
 * status, the provider's error type and its message: never the raw response, never a credential.
 */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
  readonly retryable: boolean;
  /** What the provider asked for (Retry-After), in milliseconds. */
  readonly retryAfterMs: number | null;
  readonly objection: Objection | null;

  constructor(
    message: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | null;
      objection?: Objection | null;
      cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.objection = options.objection ?? null;
  }
}

/** Generates one assistant turn. Retrying is the caller's; an aborted request rejects with the signal's reason. */
export type Model = {
  generate(request: ModelRequest, listener: ModelListener, signal: AbortSignal): Promise<ModelReply>;
};
