/**
 * Reads the event stream of the Messages API into a reply.
 */
import * as z from "zod";
import type { Json } from "../../contract/json.ts";
import { isDeeperThan } from "../../contract/nul.ts";
import type { ModelReply, ModelUsage } from "../../core/ports/model.ts";
import { type Block, contentBlock, toNative } from "./anthropic-input.ts";
import { cutFailure, refusalFailure, unreadable } from "./failures.ts";
import { index, text, tokens, typed } from "./fields.ts";
import type { StreamContext } from "./provider.ts";
import { parseArguments, readScript } from "./script.ts";
import { DEEPEST } from "./sendable.ts";
import { collectText } from "./text.ts";
import { count } from "./tokens.ts";

const piece = z.string().optional().catch(undefined);
const usage = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_creation_input_tokens: tokens,
  cache_read_input_tokens: tokens,
});
const delta = z.object({
  type: text,
  text: piece,
  partial_json: piece,
  thinking: piece,
  signature: piece,
});
const detail = z.string().nullish().catch(null);
const stopped = z.object({
  stop_reason: detail,
  stop_details: z.object({ category: detail, explanation: detail }).nullish().catch(null),
});

/** The events that matter. */
const event = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("message_start"),
    message: z
      .object({ usage: usage.nullish().catch(null) })
      .nullish()
      .catch(null),
  }),
  z.object({ type: z.literal("content_block_start"), index, content_block: contentBlock }),
  z.object({ type: z.literal("content_block_delta"), index, delta }),
  z.object({
    type: z.literal("message_delta"),
    delta: stopped.catch({ stop_reason: null, stop_details: null }),
    usage: usage.nullish().catch(null),
  }),
  z.object({ type: z.literal("message_stop") }),
]);
const known: ReadonlySet<string> = new Set(event.options.map((option) => option.shape.type.value));

type Usage = z.infer<typeof usage>;
type Stopped = z.infer<typeof stopped>;
/** A block while it streams. Broken: it is of a type that is not known, and changed: how it ends cannot be told. */
type Draft = { block: Block; json: string; broken: boolean };

/** Reasons to stop that are no end of what the model had to say. */
const unfinished: ReadonlySet<string> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "pause_turn",
]);

/** Blocks whose changes are understood; a change of another kind is left out of them. */
const understood: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

/** Reads the events up to the one that ends the answer. Throws a `ModelFailure` when the answer is none. */
export async function readMessage(
  events: AsyncIterable<unknown>,
  context: StreamContext,
): Promise<ModelReply> {
  const texts = collectText(context.listener);
  const drafts = new Map<number, Draft>();
  let counted: Usage = {};
  let stop: Stopped = {};
  let latestIndex = -1;
  for await (const raw of events) {
    if (!known.has(typed.parse(raw).type)) continue;
    const read = event.parse(raw);
    switch (read.type) {
      case "message_start":
        counted = latest(counted, read.message?.usage);
        break;
      case "content_block_start":
        latestIndex = read.index ?? drafts.size;
        drafts.set(latestIndex, { block: { ...read.content_block }, json: "", broken: false });
        texts.append(`${latestIndex}`, publicText(read.content_block));
        break;
      case "content_block_delta": {
        const at = read.index ?? latestIndex;
        const draft = drafts.get(at);
        // Something of the answer is missing: what it was cannot be told.
        if (draft === undefined) throw unreadable();
        texts.append(`${at}`, publicPiece(draft, read.delta));
        extend(draft, read.delta);
        break;
      }
      case "message_delta":
        stop = read.delta;
        counted = latest(counted, read.usage);
        break;
      case "message_stop":
        return reply(drafts, texts.texts(), stop, counted, context);
    }
  }
  throw cutFailure();
}

/** Counts are cumulative; a later null means "no news". */
function latest(before: Usage, after: Usage | null | undefined): Usage {
  const news = Object.entries(after ?? {}).filter(([, value]) => typeof value === "number");
  return { ...before, ...Object.fromEntries(news) };
}

/** The text that a block starts with, where it is one that is shown. */
const publicText = (block: Block): string =>
  block.type === "text" && typeof block["text"] === "string" ? block["text"] : "";

const publicPiece = ({ block }: Draft, change: z.infer<typeof delta>): string =>
  block.type === "text" && change.type === "text_delta" ? (change.text ?? "") : "";

/** The field that a change adds to, by its type. */
const fields = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
  input_json_delta: "partial_json",
} as const;

function extend(draft: Draft, change: z.infer<typeof delta>): void {
  const { block } = draft;
  if (!understood.has(block.type)) draft.broken = true;
  const field = Object.hasOwn(fields, change.type) ? fields[change.type as keyof typeof fields] : null;
  if (field === null) return;
  const more = change[field];
  if (more === undefined) throw unreadable();
  if (field === "partial_json") draft.json += more;
  else if (field === "signature") draft.block = { ...block, signature: more };
  else draft.block = { ...block, [field]: `${block[field] ?? ""}${more}` };
}

/** The arguments as JSON text: streamed in pieces, or whole in the block's start. */
function argumentsOf({ block, json }: Draft): string {
  return json === "" ? JSON.stringify(block["input"] ?? {}) : json;
}

function finished(draft: Draft): Block {
  if (draft.block.type !== "tool_use") return draft.block;
  // Arguments that were cut or malformed would make every later request invalid.
  const input = parseArguments(argumentsOf(draft)) as Json | null;
  const isWritable = input !== null && !isDeeperThan(input, DEEPEST);
  return { ...draft.block, input: isWritable ? input : {} };
}

const toolUse = z.object({ type: z.literal("tool_use"), id: text, name: text });

function reply(
  drafts: ReadonlyMap<number, Draft>,
  texts: string[],
  stop: Stopped,
  counted: Usage,
  context: StreamContext,
): ModelReply {
  if (stop.stop_reason === "refusal") {
    const { category, explanation } = stop.stop_details ?? {};
    const detail = [category ?? "refusal", explanation].filter(Boolean).join(": ");
    throw refusalFailure(detail, context.apiKey);
  }
  // An answer that ends for no reason was broken off.
  if (!stop.stop_reason) throw cutFailure();
  const cut = unfinished.has(stop.stop_reason);
  const ordered = [...drafts].sort(([a], [b]) => a - b).map(([, draft]) => draft);
  const last = ordered.at(-1);
  if (stop.stop_reason === "tool_use" && !ordered.some(({ block }) => block.type === "tool_use"))
    throw unreadable();
  return {
    text: texts,
    scripts: ordered.flatMap((draft) => {
      const call = toolUse.safeParse(draft.block);
      if (!call.success) return [];
      return [
        readScript({ ...call.data, arguments: argumentsOf(draft) }, context.tool, cut && draft === last),
      ];
    }),
    native: toNative(ordered.filter(({ broken }) => !broken).map(finished)),
    cut,
    usage: tally(counted),
  };
}

/** `input_tokens` of the API leaves out what was read from the cache or written to it. */
function tally(counted: Usage): ModelUsage {
  const cached = count(counted.cache_read_input_tokens);
  return {
    inputTokens: count(counted.input_tokens) + count(counted.cache_creation_input_tokens) + cached,
    outputTokens: count(counted.output_tokens),
    cachedInputTokens: cached,
  };
}
