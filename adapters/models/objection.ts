/**
 * Reads out of a provider's refusal what it objects to, where the conversation can be mended so that it is taken.
 */
import type { Objection } from "../../core/ports/model.ts";

/** What a provider said about a failure. `status` is null for an error inside a stream. */
export type ProviderReport = {
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  /** The field of the request that it is about, for example `input[3].name`. */
  readonly param: string | null;
  readonly message: string | null;
  readonly headers: Headers | null;
};

/** The index of the transcript's entry that a refusal names, or null. */
export type Locate = (report: ProviderReport) => number | null;

/** OpenAI's codes of a conversation, or of one text of it, that is longer than the model takes. */
const lengthCode = /^(context_length_exceeded|string_above_max_length)$/;

/** Anthropic has no code of its own for it, only these sentences. */
const lengthMessage =
  /\bprompt is too long\b|\bexceeds? (the )?context (limit|window)\b|\bexceeds the maximum size\b/i;

/** OpenAI's codes of a prompt that it declines for safety. */
const contentCode = /^(invalid_prompt|content_filter|content_policy_violation)$/;

const sealsCode = "invalid_encrypted_content";
const sealsMessage =
  /encrypted content\b.*\bcould not be|\binvalid `?(signature|data)`? in `?(redacted_)?thinking|`(redacted_)?thinking` blocks\b.*\bcannot be modified/i;

/** What a refusal is about, from the most to the least certain; null when it is nothing that can be mended. */
export function objectionOf(report: ProviderReport, locate: Locate): Objection | null {
  const { status, type, code, message } = report;
  const kinds = [code ?? "", type ?? ""];
  const refused = status === 400 || status === null;
  if (refused && (code === sealsCode || sealsMessage.test(message ?? ""))) return { to: "seals" };
  if (refused && kinds.some((kind) => contentCode.test(kind))) return { to: "content" };
  const entry = status === 400 ? locate(report) : null;
  if (entry !== null) return { to: "entry", entry };
  const tooLong =
    kinds.some((kind) => lengthCode.test(kind)) ||
    status === 413 ||
    type === "request_too_large" ||
    (refused && lengthMessage.test(message ?? ""));
  return tooLong ? { to: "length" } : null;
}
