/**
 * The conversation as messages of the Messages API, and the answer's blocks in the form in which they are sent
 * back.
 */
import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages/messages";
import * as z from "zod";
import type { Json, JsonObject } from "../../contract/json.ts";
import { wellFormed, wellFormedText } from "../../contract/nul.ts";
import type { TranscriptEntry, UserBlock } from "../../core/ports/model.ts";
import { requestFailure } from "./failures.ts";

/** A content block as the API sends it; only what is read here is checked. */
export const contentBlock = z.object({ type: z.string() }).catchall(z.json());
export type Block = z.infer<typeof contentBlock>;

const loose = z.object({ type: z.string() }).loose();
const replayed = z.array(z.custom<ContentBlockParam>((value) => loose.safeParse(value).success));
const mediaType = z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** The API refuses text without a visible character, and an empty result of a failed call. */
const placeholder = "(empty)";

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function userBlock(block: UserBlock): ContentBlockParam[] {
  if (block.type === "text") {
    return isBlank(block.text) ? [] : [{ type: "text", text: wellFormedText(block.text) }];
  }
  const type = mediaType.safeParse(block.mediaType);
  if (!type.success) throw requestFailure(`images of type ${block.mediaType.slice(0, 64)} cannot be sent`);
  return [{ type: "image", source: { type: "base64", media_type: type.data, data: block.base64 } }];
}

function userContent(blocks: readonly UserBlock[]): ContentBlockParam[] {
  const content = blocks.flatMap(userBlock);
  return content.length > 0 ? content : [{ type: "text", text: placeholder }];
}

function assistantContent(native: Json): ContentBlockParam[] {
  const blocks = replayed.safeParse(native);
  if (blocks.success) return blocks.data;
  throw requestFailure("the conversation holds an answer of another provider: start a new session");
}

function toolResult(entry: Extract<TranscriptEntry, { type: "script" }>): ContentBlockParam {
  return {
    type: "tool_result",
    tool_use_id: entry.id,
    content: entry.output === "" ? placeholder : wellFormedText(entry.output),
    ...(entry.failed ? { is_error: true } : {}),
  };
}

/**
 * The messages of a conversation. All results of one answer go into one user message, because the API wants
 * them together right after it; they are complete before the next request, so that message never changes. A
 * user entry always gets a message of its own: the API joins user messages itself, and joining them here would
 * change bytes that an earlier request has sent. An empty answer has no message at all.
 */
export function toMessages(transcript: readonly TranscriptEntry[]): MessageParam[] {
  const messages: MessageParam[] = [];
  let results: ContentBlockParam[] | null = null;
  for (const entry of transcript) {
    if (entry.type === "script") {
      if (results === null) {
        results = [];
        messages.push({ role: "user", content: results });
      }
      results.push(toolResult(entry));
      continue;
    }
    results = null;
    if (entry.type === "user") {
      messages.push({ role: "user", content: userContent(entry.content) });
      continue;
    }
    const content = assistantContent(entry.native);
    if (content.length > 0) messages.push({ role: "assistant", content });
  }
  return messages;
}

/**
 * The blocks of an answer for `ModelReply.native`: as they came, thinking and its signature included, without
 * what the API refuses as input: null fields, blank text, and thinking that nothing follows.
 */
export function toNative(blocks: readonly Block[]): Json {
  const kept = blocks
    .filter((block) => block.type !== "text" || !isBlank(String(block.text)))
    .map((block) => Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)));
  while (/thinking$/.test(String(kept.at(-1)?.type))) kept.pop();
  return wellFormed(kept satisfies readonly JsonObject[]);
}

/**
 * False when the tool loop that the conversation is in began without thinking. A loop keeps one mode: models
 * with a thinking budget refuse thinking that starts in the middle of it.
 */
export function mayThink(transcript: readonly TranscriptEntry[]): boolean {
  let start: Json | null = null;
  let open = false;
  for (const entry of transcript) {
    if (entry.type === "assistant") {
      if (!open) start = entry.native;
      open = entry.scriptIds.length > 0;
    }
  }
  if (!open || start === null) return true;
  const first = replayed.safeParse(start).data?.[0];
  return first?.type === "thinking" || first?.type === "redacted_thinking";
}
