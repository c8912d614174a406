import { type ErrorCode, errors } from "../../contract/errors.ts";

/** A request that is answered with an error of the table. The edge turns it into status and envelope. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | null;

  /** Without a message, the code's own. */
  constructor(code: ErrorCode, message?: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(
      message ?? errors[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }
}

export const notFound = (what: string): ApiError =>
  new ApiError("not_found", `There is no ${what} by that id in this project.`);
