import { errorBody, errors } from "../../contract/errors.ts";
import { ApiError } from "../../core/api/error.ts";
import type { Log } from "../../core/ports/log.ts";
import { describeFailure } from "../failure.ts";

export type HttpResponse = {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

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
