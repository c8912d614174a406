/** Query, path and header parameters: text that becomes typed values. Unknown ones are ignored. */
import * as z from "zod";
import { EventId, SubjectId } from "./schemas/common.ts";
import { InputStatus } from "./schemas/inputs.ts";

/** Records a page has when the request names no limit, and the most that it may name. */
export const pageLimit = { default: 20, max: 100 } as const;

/**
 * Gathers pairs, such as a `URLSearchParams`, for a query schema. A name given twice becomes an array, which
 * no schema here takes: a repeated parameter is invalid.
 */
export function collectParameters(
  pairs: Iterable<readonly [string, string]>,
): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const earlier = values.get(name);
    values.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(values);
}

/** A whole number in plain decimal: no sign, exponent, fraction or leading zero. */
export function integerParameter(min: number, max: number = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^(?:0|[1-9][0-9]*)$/, "Write a whole number in plain decimal.")
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

const page = {
  limit: integerParameter(1, pageLimit.max)
    .default(pageLimit.default)
    .describe("The most records to put on the page."),
  cursor: z
    .string()
    .optional()
    .describe("next_cursor of the page before. It is good for the endpoint and the filters that gave it."),
};

export const PageQuery = z.object(page);
export type PageQuery = z.infer<typeof PageQuery>;

/**
 * A query is percent-decoded before it gets here, and what was no UTF-8 has become U+FFFD by then: another subject than
 * the one that was meant.
 */
const FilteredSubject = SubjectId.refine(
  (subject) => subject.isWellFormed() && !subject.includes("\uFFFD"),
  "Send it as percent-encoded UTF-8.",
);

export const SubjectPageQuery = z.object({
  ...page,
  subject_id: FilteredSubject.optional().describe(
    "Only records of this subject. A filter, not an authorization.",
  ),
});
export type SubjectPageQuery = z.infer<typeof SubjectPageQuery>;

export const InputPageQuery = z.object({
  ...page,
  status: InputStatus.optional().describe("Only inputs with this status."),
});
export type InputPageQuery = z.infer<typeof InputPageQuery>;

export const StreamQuery = z.object({
  after: EventId.optional().describe("Start behind this event, replaying what followed it."),
  include_deltas: z
    .stringbool({ truthy: ["true"], falsy: ["false"], case: "sensitive" })
    .default(false)
    .describe("Send previews of text that is being written."),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

/** Header schemas take names in lower case. */
export const StreamHeaders = z.object({
  "last-event-id": EventId.optional().describe(
    "The same as `after`, as browsers send it when they reconnect.",
  ),
});
export type StreamHeaders = z.infer<typeof StreamHeaders>;

export const IdempotencyHeaders = z.object({
  "idempotency-key": z
    .string()
    .regex(/^[!-~]{1,255}$/)
    .optional()
    .describe(
      "A name of your choice for this request. Sent again within 24 hours with the same body, it gives the first answer.",
    ),
});
export type IdempotencyHeaders = z.infer<typeof IdempotencyHeaders>;
