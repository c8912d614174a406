/**
 * The conversation as input items of the Responses API, one entry after the other, and the answer's items in
 * the form in which they are sent back.
 */
import type {
  ResponseFunctionToolCall,
  ResponseInputContent,
  ResponseInputItem,
} from "openai/resources/responses/responses";
import * as z from "zod";
import type { Json, JsonObject } from "../../contract/json.ts";
import { isDeeperThan, wellFormed, wellFormedText } from "../../contract/nul.ts";
import type { TranscriptEntry, UserBlock } from "../../core/ports/model.ts";
import { requestFailure } from "./failures.ts";
import { parseArguments } from "./script.ts";
import { boundedArguments, boundedText, DEEPEST, sendableName } from "./sendable.ts";

/** The longest texts that the API takes, in characters. */
const LONGEST_TEXT = 10_485_760;
const LONGEST_ARGUMENTS = 1_048_576;

const item = z.object({ type: z.string() }).loose();
const replayed = z.array(z.custom<ResponseInputItem>((value) => item.safeParse(value).success));

/** An output item as the API sends it; only what is read here is checked. */
export type OutputItem = JsonObject & { readonly type: string };
export const outputItem = z.custom<OutputItem>((value) => item.safeParse(value).success);

function content(block: UserBlock): ResponseInputContent {
  if (block.type === "text") return { type: "input_text", text: sendableText(block.text) };
  return {
    type: "input_image",
    detail: "auto",
    image_url: `data:${block.mediaType};base64,${block.base64}`,
  };
}

const sendableText = (text: string): string => boundedText(wellFormedText(text), LONGEST_TEXT);

const functionCall = z.looseObject({ type: z.literal("function_call") });

/**
 * The items of an answer: its calls under the ids given, with names and arguments that the API takes. A call without
 * an id was never answered, and is left out. Without sealed reasoning, ids of the provider's own go too: some items
 * are only taken under theirs together with the reasoning before them.
 */
function answerItems({ native, scriptIds, unsealed }: Assistant): ResponseInputItem[] {
  const items = replayed.safeParse(native);
  if (!items.success)
    throw requestFailure("the conversation holds an answer of another provider: start a new session");
  const ids = scriptIds.values();
  const kept = unsealed === true ? items.data.flatMap(withoutSeal) : items.data;
  return kept.flatMap((item) => {
    if (!functionCall.safeParse(item).success) return [item];
    const { value: id } = ids.next();
    return id === undefined ? [] : [sendableCall(item as ResponseFunctionToolCall, id)];
  });
}

function sendableCall(call: ResponseFunctionToolCall, call_id: string): ResponseInputItem {
  return {
    ...call,
    call_id,
    name: sendableName(String(call.name)),
    arguments: boundedArguments(String(call.arguments), LONGEST_ARGUMENTS),
  };
}

function withoutSeal(source: ResponseInputItem): ResponseInputItem[] {
  if (source.type === "reasoning") return [];
  const { id: _, ...rest } = source as ResponseInputItem & { id?: string };
  return [rest as ResponseInputItem];
}

type Assistant = Extract<TranscriptEntry, { type: "assistant" }>;

function entryItems(entry: TranscriptEntry): ResponseInputItem[] {
  switch (entry.type) {
    case "user":
      return [{ type: "message", role: "user", content: entry.content.map(content) }];
    case "script":
      return [{ type: "function_call_output", call_id: entry.id, output: sendableText(entry.output) }];
    case "assistant":
      return answerItems(entry);
  }
}

/** The input items of a conversation, entry by entry. Each entry gives the same items in every request. */
export function toInput(transcript: readonly TranscriptEntry[]): ResponseInputItem[][] {
  return transcript.map(entryItems);
}

/** `status` of reasoning and `created_by` are sent by the API and refused by it; null means "not set". */
function stripped(source: OutputItem): OutputItem {
  const refused = source.type === "reasoning" ? ["status", "created_by"] : ["created_by"];
  const kept = Object.entries(source).filter(([name, value]) => value !== null && !refused.includes(name));
  return { ...Object.fromEntries(kept), type: source.type };
}

/** What cannot be sent back: what no JSON writer takes, reasoning without its content (nothing is stored) and messages without text. */
function isReplayable(source: OutputItem): boolean {
  if (source.type !== "function_call" && isDeeperThan(source, DEEPEST)) return false;
  if (source.type === "reasoning")
    return typeof source.encrypted_content === "string" && source.encrypted_content !== "";
  return source.type !== "message" || (Array.isArray(source.content) && source.content.length > 0);
}

/** Arguments that were cut or malformed would make every later request invalid, as would what nests too deeply. */
function repaired(source: OutputItem): OutputItem {
  if (source.type === "function_call" && isDeeperThan(source, DEEPEST)) {
    const { type, call_id = "", name = "" } = source;
    return { type, call_id, name, arguments: "{}" };
  }
  if (source.type !== "function_call" || parseArguments(String(source.arguments)) !== null) return source;
  return { ...source, arguments: "{}" };
}

/**
 * The items of an answer for `ModelReply.native`: as they came, without what the API refuses as input. The API
 * also refuses reasoning that nothing follows, so an answer that was cut while reasoning keeps none of it.
 */
export function toNative(items: readonly OutputItem[]): Json {
  const kept = items.map(stripped).filter(isReplayable).map(repaired);
  while (kept.at(-1)?.type === "reasoning") kept.pop();
  return wellFormed(kept satisfies readonly JsonObject[]);
}
