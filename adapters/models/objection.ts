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

/** OpenAI's codes of a prompt that it declines for safety, and Anthropic's sentence. */
const contentCode = /^(invalid_prompt|content_filter)$|_policy(_violation)?$/;
const contentMessage = /\bcontent filtering policy\b/i;

/** One request has more tokens than a minute may have: waiting cannot help. */
const minuteMessage = /\blimit (\d+), requested (\d+)\b/i;

/** A refused request that has nothing to do with what is said in it. */
const accountMessage =
  /credit|billing|balance|quota|organi[sz]ation|workspace|api key|permission|not support|unsupported|\bmodel\b.*\b(exist|found|access|available)/i;

/** Statuses of a request that is not taken as it is; null: an error inside a stream. */
const refusing: ReadonlySet<number | null> = new Set([400, 404, 422, null]);

const sealsCode = "invalid_encrypted_content";
const sealsMessage =
  /encrypted content\b.*\bcould not be|\binvalid `?(signature|data)`? in `?(redacted_)?thinking|`(redacted_)?thinking` blocks\b.*\bcannot be modified/i;

/** What a refusal is about, from the most to the least certain; null when it is nothing that can be mended. */
export function objectionOf(report: ProviderReport, locate: Locate): Objection | null {
  const { status, type, code, message } = report;
  const kinds = [code ?? "", type ?? ""];
  const refused = refusing.has(status);
  if (refused && (code === sealsCode || sealsMessage.test(message ?? ""))) return { to: "seals" };
  const declined = kinds.some((kind) => contentCode.test(kind)) || contentMessage.test(message ?? "");
  if (refused && declined) return { to: "content" };
  const entry = refused ? locate(report) : null;
  if (entry !== null) return { to: "entry", entry };
  const tooLong =
    kinds.some((kind) => lengthCode.test(kind)) ||
    status === 413 ||
    type === "request_too_large" ||
    (refused && lengthMessage.test(message ?? "")) ||
    isMoreThanAMinute(message);
  if (tooLong) return { to: "length" };
  return isRequest(report) ? { to: "request" } : null;
}

function isMoreThanAMinute(message: string | null): boolean {
  const [, limit, requested] = minuteMessage.exec(message ?? "") ?? [];
  return Number(requested) > Number(limit);
}

const isRequest = ({ status, type, message }: ProviderReport): boolean =>
  (status === 400 || status === 422 || (status === null && type === "invalid_request_error")) &&
  !accountMessage.test(message ?? "");
