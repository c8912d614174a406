/** Shapes that many schemas share: ids, times, text limits, pages and the error envelope. */
import * as z from "zod";
import { canonicalJson } from "../canonical.ts";
import { idPattern } from "../ids.ts";
import type { Json, JsonObject } from "../json.ts";

export const SessionId = z.string().regex(idPattern("ses"));
export const RunId = z.string().regex(idPattern("run"));
export const InputId = z.string().regex(idPattern("inp"));
export const MessageId = z.string().regex(idPattern("msg"));
export const CallId = z.string().regex(idPattern("call"));
export const EventId = z.string().regex(idPattern("evt"));
export const AgentId = z.string().regex(idPattern("agt"));
export const ModelApiKeyId = z.string().regex(idPattern("mkey"));
export const ApiKeyId = z.string().regex(idPattern("key"));
export const ConnectionId = z.string().regex(idPattern("conn"));
export const FileId = z.string().regex(idPattern("file"));
export const SandboxId = z.string().regex(idPattern("sbx"));

/** A moment in answers: RFC 3339 in UTC, with a `Z`. */
export const Timestamp = z.iso.datetime();

/** A moment in requests: RFC 3339 with any offset. Whoever stores it turns it into UTC. */
export const RequestTimestamp = z.iso.datetime({ offset: true });

/** At least one character that is not white space. */
export const VisiblePattern = /\S/;

/**
 * A string of `min` to `max` Unicode code points. JSON Schema counts code points; `.max()` of zod counts
 * UTF-16 units and would refuse half as many emoji.
 */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => isCodePointCountWithin(value, min, max), `Send ${min} to ${max} characters.`)
    .meta({ minLength: min, maxLength: max });
}

function isCodePointCountWithin(value: string, min: number, max: number): boolean {
  // A code point is one or two units, so far too long a text is refused without being walked.
  if (value.length > 2 * max) return false;
  let count = 0;
  for (const _ of value) count += 1;
  return count >= min && count <= max;
}

/** An array without two structurally equal items. */
export function uniqueArray<T extends z.ZodType<Json>>(item: T, min = 0) {
  return z.array(item).min(min).refine(isUnique, "List every item once.").meta({ uniqueItems: true });
}

function isUnique(items: readonly Json[]): boolean {
  return new Set(items.map(canonicalJson)).size === items.length;
}

/** Any JSON value, null included, but present. Passed on as it is, neither copied nor walked. */
export const JsonValue = z.custom<Json>((value) => value !== undefined, "Send a JSON value; null is one.");

/** Any JSON object, passed on as it is. */
export const AnyObject = z
  .custom<JsonObject>(isObject, "Send a JSON object.")
  .meta({ type: "object", additionalProperties: true });

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One page of a list: its records and the cursor of the next page, null on the last one. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });
}

export const ErrorDetail = z
  .strictObject({
    code: z.string().min(1).describe("Stable name of what went wrong; branch on it."),
    message: z.string().min(1).describe("For people; may change."),
    request_id: z.string().min(1).describe("Names this request in a problem report."),
  })
  .describe("What went wrong with a request.");
export type ErrorDetail = z.infer<typeof ErrorDetail>;

/** The reference's `Error`, under a name that does not hide the global one. */
export const ErrorEnvelope = z.strictObject({ error: ErrorDetail }).describe("The body of every HTTP error.");
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const subjectPattern = /^[^\x00-\x1f\x7f]+$/;

export const SubjectId = text(1, 256)
  .regex(subjectPattern)
  .describe(
    "Your own name for the end user, case-sensitive and fixed once set. Your backend vouches for it; with per-tenant user ids, put the tenant in.",
  );
export type SubjectId = z.infer<typeof SubjectId>;
