/** Keys of this API. */
import * as z from "zod";
import { ApiKeyId, pageOf, Timestamp, text, VisiblePattern } from "./common.ts";

export const CreateApiKey = z
  .strictObject({ name: text(1, 100).regex(VisiblePattern) })
  .describe("A name for the new key; names may repeat.");
export type CreateApiKey = z.infer<typeof CreateApiKey>;

export const ApiKey = z
  .strictObject({
    id: ApiKeyId,
    name: z.string(),
    prefix: z.string().describe("The harmless beginning of the key, to tell keys apart."),
    created_at: Timestamp,
  })
  .describe("An API key without its secret.");
export type ApiKey = z.infer<typeof ApiKey>;

export const CreatedApiKey = z
  .strictObject({ ...ApiKey.shape, secret: z.string().describe("The bearer key. Shown this once.") })
  .describe("A new API key with its secret.");
export type CreatedApiKey = z.infer<typeof CreatedApiKey>;

export const ApiKeyList = pageOf(ApiKey).describe("A page of API keys.");
export type ApiKeyList = z.infer<typeof ApiKeyList>;
