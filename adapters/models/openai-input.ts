/**
 * The conversation as input items of the Responses API, one entry after the other, and the answer's items in
 * the form in which they are sent back.
 */
import type { ResponseInputContent, ResponseInputItem } from "openai/resources/responses/responses";
import * as z from "zod";
import type { Json, JsonObject } from "../../contract/json.ts";
import { wellFormed, wellFormedText } from "../../contract/nul.ts";
import type { TranscriptEntry, UserBlock } from "../../core/ports/model.ts";
import { requestFailure } from "./failures.ts";
import { parseArguments } from "./script.ts";

const item = z.object({ type: z.string() }).loose();
const replayed = z.array(z.custom<ResponseInputItem>((value) => item.safeParse(value).success));

/** An output item as the API sends it; only what is read here is checked. */
export const outputItem = z.object({ type: z.string() }).catchall(z.json());
export type OutputItem = z.infer<typeof outputItem>;

function content(block: UserBlock): ResponseInputContent {
  if (block.type === "text") return { type: "input_text", text: wellFormedText(block.text) };
  return {
    type: "input_image",
    detail: "auto",
    image_url: `data:${block.mediaType};base64,${block.base64}`,
  };
}

function entryItems(entry: TranscriptEntry): ResponseInputItem[] {
  switch (entry.type) {
    case "user":
      return [{ type: "message", role: "user", content: entry.content.map(content) }];
    case "script":
      return [{ type: "function_call_output", call_id: entry.id, output: wellFormedText(entry.output) }];
    case "assistant": {
      const items = replayed.safeParse(entry.native);
      if (items.success) return items.data;
      throw requestFailure("the conversation holds an answer of another provider: start a new session");
    }
  }
}

/** The input items of a conversation. Each entry gives the same items in every request. */
export function toInput(transcript: readonly TranscriptEntry[]): ResponseInputItem[] {
  return transcript.flatMap(entryItems);
}

/** `status` of reasoning and `created_by` are sent by the API and refused by it; null means "not set". */
function stripped(source: OutputItem): OutputItem {
  const refused = source.type === "reasoning" ? ["status", "created_by"] : ["created_by"];
  const kept = Object.entries(source).filter(([name, value]) => value !== null && !refused.includes(name));
  return outputItem.parse(Object.fromEntries(kept));
}

/** What cannot be sent back: reasoning without its content (nothing is stored) and messages without text. */
function isReplayable(source: OutputItem): boolean {
  if (source.type === "reasoning") return typeof source.encrypted_content === "string";
  return source.type !== "message" || (Array.isArray(source.content) && source.content.length > 0);
}

/** Arguments that were cut or malformed would make every later request invalid. */
function repaired(source: OutputItem): OutputItem {
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
