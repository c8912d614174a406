/**
 * The requests of the Responses API that are read here. Objects are strict, because the API refuses what it
 * does not know, of the answers that it gave itself too.
 */
import * as z from "zod";

/** Longest text of an input, in characters. */
const TEXT_LIMIT = 10_485_760;
const ARGUMENTS_LIMIT = 1_048_576;

const text = z.string().max(TEXT_LIMIT);
const name = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/);
const callId = z.string().min(1).max(64);
const status = z.enum(["in_progress", "completed", "incomplete"]);
const unread = z.unknown().optional();

/** `%` is where the id stands. */
function itemId(prefix: string) {
  return z
    .string()
    .max(64)
    .superRefine((id, context) => {
      const wrong = !/^[a-zA-Z0-9_-]+$/.test(id)
        ? "contains letters, numbers, underscores, or dashes, but this value contained additional characters"
        : !id.startsWith(`${prefix}_`)
          ? `begins with '${prefix}'`
          : null;
      if (wrong)
        context.addIssue({ code: "custom", message: `Invalid '%': '${id}'. Expected an ID that ${wrong}.` });
    });
}

const isJson = (value: string) => {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
};

const inputPart = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("input_text"), text, prompt_cache_breakpoint: unread }),
  z.strictObject({
    type: z.literal("input_image"),
    detail: z.enum(["low", "high", "auto", "original"]).optional(),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    prompt_cache_breakpoint: unread,
  }),
]);
const outputPart = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("output_text"),
    text,
    annotations: z.array(z.unknown()).optional(),
    logprobs: z.array(z.unknown()).optional(),
  }),
  z.strictObject({ type: z.literal("refusal"), refusal: text }),
]);

const message = z.discriminatedUnion("role", [
  z.strictObject({
    type: z.literal("message"),
    role: z.enum(["user", "system", "developer"]),
    content: z.union([text, z.array(inputPart).min(1)]),
    status: status.optional(),
  }),
  z.strictObject({
    type: z.literal("message"),
    id: itemId("msg").optional(),
    role: z.literal("assistant"),
    content: z.union([text, z.array(outputPart).min(1)]),
    status: status.optional(),
    phase: z.enum(["commentary", "final_answer"]).nullish(),
  }),
]);

const item = z.discriminatedUnion("type", [
  message,
  z.strictObject({
    type: z.literal("function_call"),
    id: itemId("fc").optional(),
    call_id: callId,
    name,
    arguments: z.string().max(ARGUMENTS_LIMIT).refine(isJson, "Invalid '%': string is not valid JSON."),
    status: status.optional(),
    namespace: z.string().optional(),
    async: z.boolean().optional(),
    caller: z.object({ type: z.literal("direct") }).nullish(),
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    id: itemId("fc").nullish(),
    call_id: callId,
    output: z.union([text, z.array(inputPart).min(1)]),
    status: status.nullish(),
    name: z.string().nullish(),
    namespace: z.string().nullish(),
    caller: z.object({ type: z.literal("direct") }).nullish(),
  }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: itemId("rs"),
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text })),
    content: z.array(z.strictObject({ type: z.literal("reasoning_text"), text })).optional(),
    encrypted_content: z.string().nullish(),
  }),
]);
export type Item = z.infer<typeof item>;
export type Content = string | readonly { readonly type: string; readonly text?: string | undefined }[];

/** A message may leave its type out. */
function withType(value: unknown): unknown {
  const untyped = z.looseObject({ role: z.string(), type: z.undefined().optional() }).safeParse(value);
  return untyped.success ? { ...untyped.data, type: "message" } : value;
}

const tool = z.strictObject({
  type: z.literal("function"),
  name,
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  ...{ allowed_callers: unread, async: unread, defer_loading: unread, output_schema: unread },
});

/** Parameters that requests may have and that change nothing here. */
const others =
  "access_programs background background_options context_management conversation image include max_output_tokens max_tool_calls metadata moderation parallel_tool_calls previous_response_id prompt prompt_cache_options prompt_cache_retention safety_identifier service_tier stream_options temperature text tool_choice top_logprobs top_p truncation user";

export const request = z.strictObject({
  model: z.string().min(1),
  instructions: text.nullish(),
  tools: z.array(tool).default([]),
  input: z.union([
    text.transform((said): Item[] => [{ type: "message", role: "user", content: said }]),
    z.array(z.preprocess(withType, item)),
  ]),
  reasoning: z.object({ effort: z.string().nullish() }).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  prompt_cache_key: z.string().max(64).nullish(),
  ...Object.fromEntries(others.split(" ").map((parameter) => [parameter, unread])),
});
