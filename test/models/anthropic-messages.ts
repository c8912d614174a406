/**
 * Messages as requests to Anthropic hold them, and how the API refuses them.
 */
import Anthropic from "@anthropic-ai/sdk";
import { expect } from "vitest";
import { apiKey, harness } from "./support.ts";

type Fields = Record<string, unknown>;

export const asked = { role: "user", content: "Hi" };
export const says = (...content: unknown[]) => ({ role: "assistant", content });
export const hears = (...content: unknown[]) => ({ role: "user", content });
export const text = (over: Fields = {}) => ({ type: "text", text: "Hello.", ...over });
export const use = (over: Fields = {}) => ({ type: "tool_use", id: "t", name: "f", input: {}, ...over });
export const result = (over: Fields = {}) => ({
  type: "tool_result",
  tool_use_id: "t",
  content: "1",
  ...over,
});

/** The messages and what the refusal says. */
export type Refusal = [string, unknown[], string];

/** What Anthropic's SDK throws when the request is sent; "accepted" when it throws nothing. */
export async function refusal(over: Fields): Promise<unknown> {
  await using at = await harness({ text: "ok" });
  const client = new Anthropic({ apiKey, baseURL: at.server.anthropicBaseUrl, maxRetries: 0 });
  const body = { model: "claude-opus-5-5", max_tokens: 4_000, messages: [asked], ...over };
  return await client.post("/v1/messages", { body }).then(
    () => "accepted",
    (error: unknown) => error,
  );
}

export async function refuses(over: Fields, message: string): Promise<void> {
  const error = await refusal(over);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  expect(error).toMatchObject({
    status: 400,
    error: { type: "error", error: { type: "invalid_request_error", message } },
  });
}
