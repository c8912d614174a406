/**
 * The conversation as messages of the Messages API, and the answer's blocks in the form in which they are sent
 * back.
 */
import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages/messages";
import * as z from "zod";
import type { Json, JsonObject } from "../../contract/json.ts";
import { isDeeperThan, wellFormed, wellFormedText } from "../../contract/nul.ts";
import type { TranscriptEntry, UserBlock } from "../../core/ports/model.ts";
import { requestFailure } from "./failures.ts";
import { DEEPEST, sendableName } from "./sendable.ts";

const loose = z.looseObject({ type: z.string() });

/** A content block as the API sends it; only what is read here is checked. */
export type Block = { readonly type: string; readonly [name: string]: Json };
export const contentBlock = z.custom<Block>((value) => loose.safeParse(value).success);

const replayed = z.array(z.custom<ContentBlockParam>((value) => loose.safeParse(value).success));
const mediaType = z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]);

type Entry<Type extends TranscriptEntry["type"]> = Extract<TranscriptEntry, { type: Type }>;

/** The API refuses text without a visible character, and an empty result of a failed call. */
const placeholder = "(empty)";

function isBlank(text: string): boolean {
  // The API strips as Python does, which takes a few controls for white space.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is meant.
  return /^[\s\u001c-\u001f\u0085]*$/.test(text);
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

/**
 * The blocks of an answer: its calls under the ids given, with names that the API takes. A call without an id was
 * never answered, and is left out.
 */
function assistantContent({ native, scriptIds, unsealed }: Entry<"assistant">): ContentBlockParam[] {
  const blocks = replayed.safeParse(native);
  if (!blocks.success)
    throw requestFailure("the conversation holds an answer of another provider: start a new session");
  const ids = scriptIds.values();
  const kept = unsealed === true ? blocks.data.filter((block) => !isThinking(block)) : blocks.data;
  return kept.flatMap((block): ContentBlockParam[] => {
    if (block.type !== "tool_use") return [block];
    const { value: id } = ids.next();
    return id === undefined ? [] : [{ ...block, id, name: sendableName(String(block.name)) }];
  });
}

const isThinking = ({ type }: { readonly type: string }): boolean => /thinking$/.test(type);

function toolResult(entry: Entry<"script">): ContentBlockParam {
  return {
    type: "tool_result",
    tool_use_id: entry.id,
    content: entry.output === "" ? placeholder : wellFormedText(entry.output),
    ...(entry.failed ? { is_error: true } : {}),
  };
}

/** Messages, and for each the index of the entry that each of its blocks is of. */
export type Messages = { readonly messages: MessageParam[]; readonly origins: number[][] };

/**
 * The messages of a conversation. All results of one answer go into one user message, because the API wants
 * them together right after it; they are complete before the next request, so that message never changes. A
 * user entry always gets a message of its own: the API joins user messages itself, and joining them here would
 * change bytes that an earlier request has sent. An empty answer has no message at all.
 */
export function toMessages(transcript: readonly TranscriptEntry[]): Messages {
  const messages: MessageParam[] = [];
  const origins: number[][] = [];
  let results: ContentBlockParam[] | null = null;
  for (const [at, entry] of transcript.entries()) {
    const content = contentOf(entry);
    if (entry.type === "script" && results !== null) {
      results.push(...content);
      origins.at(-1)?.push(at);
      continue;
    }
    results = entry.type === "script" ? content : null;
    if (content.length === 0) continue;
    messages.push({ role: entry.type === "assistant" ? "assistant" : "user", content });
    origins.push(content.map(() => at));
  }
  return { messages, origins };
}

function contentOf(entry: TranscriptEntry): ContentBlockParam[] {
  if (entry.type === "script") return [toolResult(entry)];
  return entry.type === "user" ? userContent(entry.content) : assistantContent(entry);
}

/**
 * The blocks of an answer for `ModelReply.native`: as they came, thinking and its signature included, without
 * what the API refuses as input: null fields, blank text, and thinking that nothing follows.
 */
export function toNative(blocks: readonly Block[]): Json {
  const kept = blocks
    .filter((block) => block.type !== "text" || !isBlank(String(block["text"])))
    .filter((block) => block.type === "tool_use" || !isDeeperThan(block, DEEPEST))
    .map((block) => Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null)));
  while (isThinking({ type: String(kept.at(-1)?.["type"]) })) kept.pop();
  return wellFormed(kept satisfies readonly JsonObject[]);
}

/**
 * False when the tool loop that the conversation is in began without thinking. A loop keeps one mode: models
 * with a thinking budget refuse thinking that starts in the middle of it.
 */
export function mayThink(transcript: readonly TranscriptEntry[]): boolean {
  let start: Entry<"assistant"> | null = null;
  let open = false;
  for (const entry of transcript) {
    if (entry.type !== "assistant") continue;
    if (!open) start = entry;
    open = entry.scriptIds.length > 0;
  }
  if (!open || start === null) return true;
  const first = assistantContent(start)[0];
  return first !== undefined && isThinking(first);
}
