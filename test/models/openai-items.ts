/**
 * Items as requests to OpenAI hold them, and how the API refuses them.
 */
import OpenAI from "openai";
import { expect } from "vitest";
import { createSeals } from "../../local/model/seals.ts";
import { apiKey, harness } from "./support.ts";

type Fields = Record<string, unknown>;

export const said = { role: "user", content: "Hi" };
export const call = (over: Fields = {}) => ({
  type: "function_call",
  call_id: "c",
  name: "f",
  arguments: "{}",
  ...over,
});
export const result = (over: Fields = {}) => ({
  type: "function_call_output",
  call_id: "c",
  output: "1",
  ...over,
});
export const answer = (over: Fields = {}) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hello.", annotations: [], logprobs: [] }],
  ...over,
});
const sealed = (id: string) => createSeals().seal("hm", id);
export const thought = (over: Fields = {}) => ({
  type: "reasoning",
  id: "rs_1",
  summary: [],
  encrypted_content: sealed("rs_1"),
  ...over,
});

/** The items, the message, and the parameter and code, of a refusal. */
export type Refusal = [string, unknown, string, string | null, string | null];

export async function refusal(body: Fields): Promise<unknown> {
  await using at = await harness({ text: "ok" });
  const client = new OpenAI({ apiKey, baseURL: at.server.openaiBaseUrl, maxRetries: 0 });
  return await client.post("/responses", { body }).then(
    () => "accepted",
    (error: unknown) => error,
  );
}

export async function refuses([, input, message, param, code]: Refusal): Promise<void> {
  const error = await refusal({ model: "gpt-5", store: false, input });
  expect(error).toBeInstanceOf(OpenAI.BadRequestError);
  expect(error).toMatchObject({
    status: 400,
    param,
    code,
    type: "invalid_request_error",
    error: { message },
  });
}

type Said = [string, string, string];
export const tooLong = (at: string, limit: number, length: number): Said => [
  `Invalid '${at}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`,
  at,
  "string_above_max_length",
];
export const empty = (at: string, kind = "string", article = "a"): Said => [
  `Invalid '${at}': empty ${kind}. Expected ${article} ${kind} with minimum length 1, but got an empty ${kind} instead.`,
  at,
  `empty_${kind}`,
];
export const missing = (at: string): Said => [
  `Missing required parameter: '${at}'.`,
  at,
  "missing_required_parameter",
];
export const unknown = (at: string): Said => [`Unknown parameter: '${at}'.`, at, "unknown_parameter"];

export const pattern =
  "string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.";
