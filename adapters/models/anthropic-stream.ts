/**
 * Reads the event stream of the Messages API into a reply.
 */
import * as z from "zod";
import type { ModelListener, ModelReply, ModelUsage, ToolDefinition } from "../../core/ports/model.ts";
import { type Block, contentBlock, toNative } from "./anthropic-input.ts";
import { cutFailure, refusalFailure } from "./failures.ts";
import { parseArguments, readScript } from "./script.ts";
import { collectText } from "./text.ts";

const index = z.number().int();
const tokens = z.number().nullish();
const usage = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
});
const delta = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text_delta"), text: z.string() }),
  z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
  z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
  z.object({ type: z.literal("signature_delta"), signature: z.string() }),
  // Citations come only from documents and searches, which are never sent.
  z.object({ type: z.literal("citations_delta") }),
]);
const stopped = z.object({
  stop_reason: z.string().nullish(),
  stop_details: z.object({ category: z.string().nullish(), explanation: z.string().nullish() }).nullish(),
});

/** The events that matter. */
const event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message: z.object({ usage: usage.nullish() }) }),
  z.object({ type: z.literal("content_block_start"), index, content_block: contentBlock }),
  z.object({ type: z.literal("content_block_delta"), index, delta }),
  z.object({ type: z.literal("message_delta"), delta: stopped, usage: usage.nullish() }),
  z.object({ type: z.literal("message_stop") }),
]);
const typed = z.object({ type: z.string() });
const known: ReadonlySet<string> = new Set(event.options.map((option) => option.shape.type.value));

export type StreamContext = {
  readonly tool: ToolDefinition;
  readonly listener: ModelListener;
  readonly apiKey: string;
};

type Usage = z.infer<typeof usage>;
type Draft = { block: Block; json: string };

/** Reads the events up to the one that ends the answer. Throws a `ModelFailure` when the answer is none. */
export async function readMessage(
  events: AsyncIterable<unknown>,
  context: StreamContext,
): Promise<ModelReply> {
  const text = collectText(context.listener);
  const drafts = new Map<number, Draft>();
  let counted: Usage = {};
  let stop: z.infer<typeof stopped> = {};
  for await (const raw of events) {
    if (!known.has(typed.parse(raw).type)) continue;
    const read = event.parse(raw);
    switch (read.type) {
      case "message_start":
        counted = latest(counted, read.message.usage);
        break;
      case "content_block_start":
        drafts.set(read.index, { block: read.content_block, json: "" });
        if (read.content_block.type === "text") text.append(`${read.index}`, String(read.content_block.text));
        break;
      case "content_block_delta":
        if (read.delta.type === "text_delta") text.append(`${read.index}`, read.delta.text);
        extend(drafts.get(read.index), read.delta);
        break;
      case "message_delta":
        stop = read.delta;
        counted = latest(counted, read.usage);
        break;
      case "message_stop":
        return reply(drafts, text.texts(), stop, counted, context);
    }
  }
  throw cutFailure();
}

/** Counts are cumulative; a later null means "no news". */
function latest(before: Usage, after: Usage | null | undefined): Usage {
  const news = Object.entries(after ?? {}).filter(([, value]) => typeof value === "number");
  return { ...before, ...Object.fromEntries(news) };
}

function extend(draft: Draft | undefined, change: z.infer<typeof delta>): void {
  if (draft === undefined) return;
  const { block } = draft;
  if (change.type === "text_delta") block.text = `${block.text ?? ""}${change.text}`;
  if (change.type === "thinking_delta") block.thinking = `${block.thinking ?? ""}${change.thinking}`;
  if (change.type === "signature_delta") block.signature = change.signature;
  if (change.type === "input_json_delta") draft.json += change.partial_json;
}

/** The arguments as JSON text: streamed in pieces, or whole in the block's start. */
function argumentsOf({ block, json }: Draft): string {
  return json === "" ? JSON.stringify(block.input ?? {}) : json;
}

function finished(draft: Draft): Block {
  if (draft.block.type !== "tool_use") return draft.block;
  // Arguments that were cut or malformed would make every later request invalid.
  return contentBlock.parse({ ...draft.block, input: parseArguments(argumentsOf(draft)) ?? {} });
}

const toolUse = z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string() });

function reply(
  drafts: ReadonlyMap<number, Draft>,
  text: string[],
  stop: z.infer<typeof stopped>,
  counted: Usage,
  context: StreamContext,
): ModelReply {
  if (stop.stop_reason === "refusal") {
    const { category, explanation } = stop.stop_details ?? {};
    const detail = [category ?? "refusal", explanation].filter(Boolean).join(": ");
    throw refusalFailure(detail, context.apiKey);
  }
  const cut = stop.stop_reason === "max_tokens" || stop.stop_reason === "model_context_window_exceeded";
  const ordered = [...drafts].sort(([a], [b]) => a - b).map(([, draft]) => draft);
  return {
    text,
    scripts: ordered.flatMap((draft) => {
      const call = toolUse.safeParse(draft.block);
      return call.success
        ? [readScript({ ...call.data, arguments: argumentsOf(draft) }, context.tool, cut)]
        : [];
    }),
    native: toNative(ordered.map(finished)),
    usage: tally(counted),
  };
}

/** `input_tokens` of the API leaves out what was read from the cache or written to it. */
function tally(counted: Usage): ModelUsage {
  const cached = counted.cache_read_input_tokens ?? 0;
  return {
    inputTokens: (counted.input_tokens ?? 0) + (counted.cache_creation_input_tokens ?? 0) + cached,
    outputTokens: counted.output_tokens ?? 0,
    cachedInputTokens: cached,
  };
}
