/** What runs used of their model. Not in the reference: resources of its own, so that those of the reference stay closed. */
import * as z from "zod";
import { pageOf, RunId } from "./common.ts";

const tokens = z.int().nonnegative();

export const RunUsage = z
  .strictObject({
    run_id: RunId,
    input_tokens: tokens.describe("Tokens of all requests to the model, cached ones included."),
    cached_input_tokens: tokens.describe("Those of them that the provider read from its cache."),
    output_tokens: tokens.describe("Tokens of all answers, reasoning and summaries included."),
  })
  .describe("What a run used so far, as its provider counted it; 0 where it did not.");
export type RunUsage = z.infer<typeof RunUsage>;

export const UsageList = pageOf(RunUsage).describe("A page of what runs used.");
export type UsageList = z.infer<typeof UsageList>;
