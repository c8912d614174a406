import { createModel, type ModelOptions } from "../../adapters/models/choice.ts";
import type { Json } from "../../contract/json.ts";
import {
  type Model,
  ModelFailure,
  type ModelReply,
  type ModelRequest,
  type ToolDefinition,
  type TranscriptEntry,
} from "../../core/ports/model.ts";
import type { RawEvent, Reply, Respond } from "../../local/model/reply.ts";
import { type ModelServer, startModelServer } from "../../local/model/server.ts";

export const apiKey = "sk-test-4f9a1c77d2e84b6aa0";

export const tool: ToolDefinition = {
  name: "javascript",
  description: "Runs JavaScript.\n\ntools.get_customer(args: { customer_id: string })",
  parameters: {
    type: "object",
    properties: { source: { type: "string" } },
    required: ["source"],
    additionalProperties: false,
  },
};

/** A model of each provider that reasons. */
export const models = ["openai/gpt-6.1-sol", "anthropic/claude-opus-5-5"] as const;

export function user(text: string): TranscriptEntry {
  return { type: "user", content: [{ type: "text", text }] };
}

export function assistant(reply: ModelReply): TranscriptEntry {
  return { type: "assistant", native: reply.native, scriptIds: reply.scripts.map((script) => script.id) };
}

export function output(id: string, text: string, failed = false): TranscriptEntry {
  return { type: "script", id, output: text, failed };
}

export function request(model: string, over: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model,
    apiKey,
    instructions: "Be brief.",
    tool,
    transcript: [user("Hello")],
    effort: "medium",
    cacheKey: "ses_1",
    ...over,
  };
}

export type Harness = AsyncDisposable & {
  readonly server: ModelServer;
  readonly model: Model;
  /** Pieces of text in the order in which they came, as `[contentIndex, text]`. */
  readonly pieces: [number, string][];
  ask(request: ModelRequest, signal?: AbortSignal): Promise<ModelReply>;
};

/** A model server that answers with `respond` (or always with one reply) and a model that talks to it. */
export async function harness(
  respond: Respond | Reply,
  timeouts: ModelOptions["timeouts"] = {},
): Promise<Harness> {
  const server = await startModelServer({ respond: typeof respond === "function" ? respond : () => respond });
  const model = createModel({
    openaiBaseUrl: server.openaiBaseUrl,
    anthropicBaseUrl: server.anthropicBaseUrl,
    timeouts,
  });
  const pieces: [number, string][] = [];
  return {
    server,
    model,
    pieces,
    ask: (asked, signal = new AbortController().signal) =>
      model.generate(asked, { onText: (text, index) => pieces.push([index, text]) }, signal),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The pieces joined per block. */
export function joined(pieces: readonly [number, string][]): string[] {
  const blocks: string[] = [];
  for (const [index, text] of pieces) blocks[index] = (blocks[index] ?? "") + text;
  return blocks;
}

/** What `promise` rejects with; throws when it resolves or rejects with something else. */
export async function failure(promise: Promise<unknown>): Promise<ModelFailure> {
  const error = await promise.then(
    () => new Error("the request succeeded"),
    (reason: unknown) => reason,
  );
  if (error instanceof ModelFailure) return error;
  throw error;
}

/** Posts `body` to a model server. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** For `Answer.events`: the events that are made, with `more` behind each that is called `name`. */
export function insertAfter(
  name: string,
  ...more: readonly RawEvent[]
): (made: readonly RawEvent[]) => readonly RawEvent[] {
  return (made) => made.flatMap((event) => (event.event === name ? [event, ...more] : [event]));
}

/** Puts events before the first of a name. */
export function insertBefore(
  name: string,
  ...more: readonly RawEvent[]
): (made: readonly RawEvent[]) => readonly RawEvent[] {
  return (made) => {
    const at = made.findIndex(({ event }) => event === name);
    return [...made.slice(0, at), ...more, ...made.slice(at)];
  };
}

/** An event whose data names its type, as all events of both providers do. */
export function rawEvent(event: string, data: object = {}): RawEvent {
  return { event, data: { type: event, ...data } };
}

/** The parsed body of request number `index`. */
export function sent(server: ModelServer, index: number): Record<string, Json> {
  return JSON.parse(server.requests[index]?.body.toString("utf8") ?? "null");
}
