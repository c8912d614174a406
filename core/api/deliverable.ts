import { recordBytes, weigh } from "../../contract/answer-size.ts";
import type { Json } from "../../contract/json.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Payload } from "../session/payload.ts";
import type { CallRecord } from "../session/records.ts";
import { ApiError } from "./error.ts";

/** Throws `request_too_large` for what could be stored, but shown to nobody. `what` is the part of the request. */
export function checkDeliverable(what: string, value: unknown, most: number = recordBytes): void {
  const bytes = weigh(value);
  if (bytes > most)
    throw tooLarge(`${what} takes ${bytes} bytes of an answer, of at most ${most}. Send less.`);
}

/** What a receipt says about a call beside its arguments and its outcome. */
const CALL_BYTES = 1_024;
/** Quotes and backslashes take two bytes in an answer. */
const MOST_BYTES_A_BYTE = 2;

/** Throws `request_too_large` for results whose receipt could not be sent. Arguments are read only if it is in doubt. */
export async function checkReceipt(
  blobs: Pick<Blobs, "fetch">,
  outcomes: readonly Json[],
  calls: readonly CallRecord[],
): Promise<void> {
  const own = sum(outcomes.map((outcome) => weigh(outcome) + CALL_BYTES));
  if (own + sum(calls.map((call) => mostBytes(call.arguments))) <= recordBytes) return;
  const given = await Promise.all(calls.map(async (call) => weigh(await blobs.fetch(call.arguments))));
  if (own + sum(given) <= recordBytes) return;
  throw tooLarge(
    "The receipt of these results would not fit an answer. Send fewer at once, or less in them.",
  );
}

const mostBytes = (payload: Payload): number =>
  "inline" in payload ? weigh(payload.inline) : payload.bytes * MOST_BYTES_A_BYTE;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const tooLarge = (message: string): ApiError => new ApiError("request_too_large", message);
