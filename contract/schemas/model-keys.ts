/** Keys of model providers, stored for runs to use. */
import * as z from "zod";
import { ModelApiKeyId, pageOf, Timestamp, text, VisiblePattern } from "./common.ts";

export const ModelProvider = z.enum(["openai", "anthropic"]);
export type ModelProvider = z.infer<typeof ModelProvider>;

export const CreateModelApiKey = z
  .strictObject({
    name: text(1, 100).regex(VisiblePattern),
    provider: ModelProvider.describe("Who issued the key."),
    key: z
      .string()
      .min(9)
      .max(4096)
      .regex(/^[!-~]+$/)
      .meta({ writeOnly: true, description: "The key itself, in visible ASCII. No answer ever has it." }),
  })
  .describe("A provider's key to store.");
export type CreateModelApiKey = z.infer<typeof CreateModelApiKey>;

export const ModelApiKey = z
  .strictObject({
    id: ModelApiKeyId,
    name: z.string(),
    provider: ModelProvider,
    prefix: z.string().length(4).describe("How the key begins."),
    suffix: z.string().length(4).describe("How the key ends."),
    created_at: Timestamp,
  })
  .describe("A stored key, known by its ends.");
export type ModelApiKey = z.infer<typeof ModelApiKey>;

export const ModelApiKeyList = pageOf(ModelApiKey).describe("A page of stored model keys.");
export type ModelApiKeyList = z.infer<typeof ModelApiKeyList>;
