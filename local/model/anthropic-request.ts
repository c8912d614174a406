/**
 * The requests of the Messages API that are read here. Objects are strict, because the API refuses what it does
 * not know. `%` in a message is the parameter in which the value stands.
 */
import * as z from "zod";

const unread = z.unknown().optional();
const cached = {
  cache_control: z
    .strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() })
    .nullish(),
};

const said = z
  .string()
  .refine((text) => text !== "", "%: text content blocks must be non-empty")
  .refine((text) => text.trim() !== "", "%: text content blocks must contain non-whitespace text");
const textBlock = z.strictObject({
  type: z.literal("text"),
  text: said,
  citations: z.array(z.unknown()).nullish(),
  ...cached,
});
const source = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
    data: z.string(),
  }),
  z.strictObject({ type: z.literal("url"), url: z.string() }),
]);
const imageBlock = z.strictObject({ type: z.literal("image"), source, transformations: unread, ...cached });

const block = z.discriminatedUnion("type", [
  textBlock,
  imageBlock,
  z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.strictObject({
    type: z.literal("tool_use"),
    id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    input: z.record(z.string(), z.unknown()),
    caller: z.strictObject({ type: z.literal("direct") }).optional(),
    toolset_name: z.string().nullish(),
    ...cached,
  }),
  z.strictObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
    content: z
      .union([z.string(), z.array(z.discriminatedUnion("type", [textBlock, imageBlock]))])
      .default(""),
    is_error: z.boolean().default(false),
    toolset_name: z.string().nullish(),
    ...cached,
  }),
]);
export type Block = z.infer<typeof block>;

const message = z.strictObject({
  role: z.enum(["user", "assistant"]),
  content: z.union([said.transform((text): Block[] => [{ type: "text", text }]), z.array(block)]),
});
export type Message = z.infer<typeof message>;

const display = { display: z.enum(["summarized", "omitted"]).nullish() };
const thinking = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024), ...display }),
  z.strictObject({ type: z.literal("adaptive"), ...display }),
  z.strictObject({ type: z.literal("disabled") }),
]);

const tool = z.strictObject({
  type: z.literal("custom").nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().optional(),
  ...cached,
  ...{
    allowed_callers: unread,
    defer_loading: unread,
    eager_input_streaming: unread,
    input_examples: unread,
  },
});

/** Parameters that requests may have and that change nothing here. */
const others =
  "container diagnostics inference_geo metadata service_tier speed stop_sequences tool_choice user_profile_id workspace_id";

export const request = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  system: z.union([z.string(), z.array(textBlock)]).default(""),
  tools: z.array(tool).default([]),
  messages: z.array(message).min(1),
  thinking: thinking.optional(),
  output_config: z
    .strictObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(), format: unread })
    .optional(),
  stream: z.boolean().default(false),
  ...cached,
  ...Object.fromEntries(others.split(" ").map((parameter) => [parameter, unread])),
});
export type Thinking = z.infer<typeof thinking>;
