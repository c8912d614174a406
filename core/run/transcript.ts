import * as z from "zod";
import { JsonValue } from "../../contract/schemas/common.ts";
import type { TranscriptEntry, UserBlock } from "../ports/model.ts";
import { StoredAnswer } from "../session/events.ts";

/** One entry of the conversation as checkpoints keep it. */
export const StoredEntry = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("user"), content: z.array(JsonValue) }),
  z.strictObject({ type: z.literal("answer"), ...StoredAnswer.shape }),
  z.strictObject({ type: z.literal("script"), id: z.string(), output: z.string(), failed: z.boolean() }),
  /** What the model wrote about entries that gave way to it. */
  z.strictObject({ type: z.literal("summary"), text: z.string() }),
]);
export type StoredEntry = z.infer<typeof StoredEntry>;

const TextBlock = z.object({ type: z.literal("text"), text: z.string() });

const LOST_OUTPUT =
  "The script did not finish: its run ended first. Calls that it had made may have had effects; check before repeating them.";

const SUMMARY_BEGINS =
  "[The conversation began earlier. This is your own summary of its beginning, which you can no longer read; the latest messages follow as they were.]";

/**
 * The conversation as the model gets it. Every script call has an outcome right after its answer, in the
 * order of the calls, whatever was lost: a provider refuses a conversation in which one is missing.
 */
export function toTranscript(stored: readonly StoredEntry[]): TranscriptEntry[] {
  const transcript: TranscriptEntry[] = [];
  let index = 0;
  for (let entry = stored[index]; entry !== undefined; entry = stored[index]) {
    index += 1;
    if (entry.type === "user") transcript.push({ type: "user", content: entry.content.map(toBlock) });
    if (entry.type === "summary") transcript.push(userText(`${SUMMARY_BEGINS}\n\n${entry.text}`));
    if (entry.type !== "answer") continue;
    const outputs = new Map<string, TranscriptEntry>();
    for (let next = stored[index]; next?.type === "script"; next = stored[index]) {
      outputs.set(next.id, next);
      index += 1;
    }
    const scriptIds = entry.scripts.map((script) => script.id);
    transcript.push({ type: "assistant", native: entry.native, scriptIds });
    for (const id of scriptIds) {
      transcript.push(outputs.get(id) ?? { type: "script", id, output: LOST_OUTPUT, failed: true });
    }
  }
  return transcript;
}

/** An entry of the user's role with this text. */
export const userText = (text: string): TranscriptEntry => ({
  type: "user",
  content: [{ type: "text", text }],
});

function toBlock(block: unknown): UserBlock {
  const text = TextBlock.safeParse(block);
  return text.success ? text.data : { type: "text", text: "[An attachment that is not available.]" };
}

/** The scripts of the last answer; the running one is among them. */
export function lastScripts(stored: readonly StoredEntry[]): StoredAnswer["scripts"] {
  return stored.findLast((entry) => entry.type === "answer")?.scripts ?? [];
}
