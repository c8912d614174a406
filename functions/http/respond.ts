import { largestAnswer } from "../../contract/answer-size.ts";
import { errorBody, errors } from "../../contract/errors.ts";
import { ApiError } from "../../core/api/error.ts";
import type { Log } from "../../core/ports/log.ts";
import { describeFailure } from "../failure.ts";

export type HttpResponse = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A UTF-16 unit takes three bytes at most in the answer: only a large body has to be measured. */
const MOST_BYTES_A_UNIT = 3;
const AROUND_UNITS = 1_024;

/** The response, or an error in place of one that could not be delivered. */
export function deliverable(response: HttpResponse, requestId: string): HttpResponse {
  if ((response.body.length + AROUND_UNITS) * MOST_BYTES_A_UNIT <= largestAnswer) return response;
  if (Buffer.byteLength(JSON.stringify(response)) <= largestAnswer) return response;
  const message = "What there is to show is larger than an answer may be. A session's stream has all of it.";
  return jsonResponse(requestId, 500, errorBody("internal_error", message, requestId));
}

export function jsonResponse(
  requestId: string,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const content = body === undefined ? {} : { "content-type": "application/json" };
  return {
    statusCode: status,
    headers: { ...content, "x-request-id": requestId, ...headers },
    body: body === undefined ? "" : JSON.stringify(body),
  };
}

/** An error as the reference's envelope. What is not an `ApiError` is logged and leaks nothing. */
export function errorResponse(error: unknown, requestId: string, log: Log): HttpResponse {
  if (error instanceof ApiError) {
    const { code, message, retryAfter } = error;
    const headers = retryAfter === null ? {} : { "retry-after": String(retryAfter) };
    return jsonResponse(requestId, errors[code].status, errorBody(code, message, requestId), headers);
  }
  log.warn("a request failed", { requestId, ...describeFailure(error) });
  return jsonResponse(requestId, 500, errorBody("internal_error", "", requestId));
}
