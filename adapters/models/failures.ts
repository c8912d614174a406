/**
 * Turns everything that can go wrong with a provider into a `ModelFailure` that says whether a retry can help.
 * The SDK's own error is never kept as the cause: it holds the raw body and headers.
 */
import * as z from "zod";
import { ModelFailure } from "../../core/ports/model.ts";
import { type Locate, objectionOf, type ProviderReport } from "./objection.ts";
import { safeMessage } from "./scrub.ts";

const retryableStatuses = new Set([408, 409, 429]);

/** Error types and codes inside a stream (no status) after which the same request can succeed. */
const transient =
  /overloaded|server_error|api_error|rate_limit|too_many|timeout|unavailable|slow_down|internal/;

/** 429 with one of these is an empty account, not a busy server. */
const spent = /insufficient_quota|billing|spend_limit|credit/;

/** What the provider asked to wait, in milliseconds; null when it did not say or said nonsense. */
export function retryAfterMs(headers: Headers | null, now: number = Date.now()): number | null {
  const exact = milliseconds(headers?.get("retry-after-ms"), 1);
  if (exact !== null) return exact;
  const header = headers?.get("retry-after");
  const seconds = milliseconds(header, 1_000);
  if (seconds !== null || !header) return seconds;
  // Date.parse takes "-5" for a year: an HTTP date names its month.
  const date = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function milliseconds(value: string | null | undefined, unit: number): number | null {
  return value && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Math.ceil(Number(value) * unit) : null;
}

function isRetryable(report: ProviderReport): boolean {
  const kind = `${report.type ?? ""} ${report.code ?? ""}`.trim();
  if (spent.test(kind)) return false;
  if (report.status === null) return kind === "" || transient.test(kind);
  // Both providers send this header to say that waiting cannot help.
  if (report.headers?.get("x-should-retry") === "false") return false;
  return retryableStatuses.has(report.status) || report.status >= 500;
}

/** A failure the provider reported: "HTTP 401 authentication_error: ...", or "stream error ..." inside a stream. */
export function providerFailure(
  report: ProviderReport,
  apiKey: string,
  locate: Locate = () => null,
): ModelFailure {
  const where = report.status === null ? "stream error" : `HTTP ${report.status}`;
  const type = report.type ?? report.code;
  const label = type !== null && /^[\w.-]{1,64}$/.test(type) ? `${where} ${type}` : where;
  const text = report.message ? `${label}: ${report.message}` : label;
  return new ModelFailure(safeMessage(text, apiKey), {
    retryable: isRetryable(report),
    retryAfterMs: retryAfterMs(report.headers),
    objection: objectionOf(report, locate),
  });
}

/** The provider declined for safety reasons; asking again gives the same. */
export function refusalFailure(detail: string, apiKey: string): ModelFailure {
  return new ModelFailure(safeMessage(`the model refused to answer: ${detail}`, apiKey), {
    retryable: false,
    objection: { to: "content" },
  });
}

/** The stream ended before the event that ends an answer. */
export function cutFailure(): ModelFailure {
  return new ModelFailure("the connection was lost before the answer was complete", { retryable: true });
}

/** The provider sent what cannot be understood, or something of it is missing. */
export function unreadable(): ModelFailure {
  return new ModelFailure("the provider sent an answer that cannot be read", { retryable: true });
}

/** A conversation nests deeper than any request can. */
export function unwritable(): ModelFailure {
  return new ModelFailure("the request cannot be written", {
    retryable: false,
    objection: { to: "request" },
  });
}

/** Something about the request itself that no retry changes. */
export function requestFailure(message: string): ModelFailure {
  return new ModelFailure(message, { retryable: false });
}

const nodeCode = z.object({ code: z.string().regex(/^[A-Z][A-Z0-9_]{1,40}$/) });

/** The system's code of the error or of what caused it, for example ECONNREFUSED. */
function systemCode(error: unknown): string | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const found = nodeCode.safeParse(at);
    if (found.success) return found.data.code;
  }
  return null;
}

/** The error classes that both SDKs have. `SdkError` is the base of the others. */
export type SdkErrors = {
  readonly SdkError: new (...args: never[]) => Error;
  readonly APIError: new (...args: never[]) => Error;
  readonly APIConnectionError: new (...args: never[]) => Error;
  readonly APIConnectionTimeoutError: new (...args: never[]) => Error;
};

const fields = z.object({
  type: z.string().nullable().catch(null).default(null),
  code: z.string().nullable().catch(null).default(null),
  param: z.string().nullable().catch(null).default(null),
  message: z.string().nullable().catch(null).default(null),
});
const sdkError = z.object({
  status: z.number().nullable().catch(null).default(null),
  headers: z.instanceof(Headers).nullable().catch(null).default(null),
  error: z.unknown().optional(),
});

/** Reads `{type, code, param, message}` from an error object or from a body that has one under `error`. */
export function readError(body: unknown): Omit<ProviderReport, "status" | "headers"> {
  const nested = z.object({ error: z.object({}).loose() }).safeParse(body);
  const found = fields.safeParse(nested.success ? nested.data.error : body);
  if (!found.success) return { type: null, code: null, param: null, message: null };
  // OpenAI's error event calls its own type "error"; what went wrong is its code.
  return found.data.type === "error" ? { ...found.data, type: null } : found.data;
}

/** What `error`, thrown while talking to a provider, means. Programming errors come back as they are. */
export function failureOf(
  error: unknown,
  { sdk, apiKey, locate }: { readonly sdk: SdkErrors; readonly apiKey: string; readonly locate: Locate },
): unknown {
  if (error instanceof ModelFailure) return error;
  if (error instanceof sdk.APIConnectionTimeoutError) {
    return new ModelFailure("the provider did not start to answer in time", { retryable: true });
  }
  if (error instanceof sdk.APIConnectionError) {
    const code = systemCode(error);
    return new ModelFailure(`could not reach the provider${code ? ` (${code})` : ""}`, { retryable: true });
  }
  if (error instanceof sdk.APIError) {
    const { status, headers, error: body } = sdkError.parse(error);
    return providerFailure({ status, headers, ...readError(body) }, apiKey, locate);
  }
  if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof sdk.SdkError) {
    return unreadable();
  }
  // A body that breaks off: fetch throws a TypeError with the socket's error as its cause.
  return systemCode(error) === null ? error : cutFailure();
}
