/** What a route of the table says of its operation, and the lists of error codes that routes share. */
import type * as z from "zod";
import type { ErrorCode } from "../errors.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type Success = {
  readonly status: number;
  /** What happened, for the API document. */
  readonly description: string;
  /** Shape of the body; null for none. */
  readonly schema: z.ZodType | null;
  /** Media type of the body; JSON when not given. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Route = {
  readonly operationId: string;
  readonly method: Method;
  /** Relative to `/v1`, with parameters in braces. */
  readonly path: string;
  readonly tag: string;
  /** `dashboard`: an operator only. `project`: project keys and operators. */
  readonly auth: "project" | "dashboard";
  readonly summary: string;
  readonly description?: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Keys in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly bodyType: "json" | "multipart" | "none";
  readonly success: readonly Success[];
  readonly errors: readonly ErrorCode[];
};

/** Codes of every operation. */
export const always = ["unauthorized", "forbidden", "internal_error"] as const;

/** Codes of every operation but the few that manage keys and rename or delete agents. */
export const usual = [...always, "rate_limited"] as const;

/** Codes of an operation with a JSON body. */
export const jsonBody = [
  "invalid_request",
  "invalid_json",
  "request_too_large",
  "unsupported_media_type",
] as const;

/** Codes of a list. */
export const page = ["invalid_parameter", "invalid_cursor", "cursor_expired"] as const;

/** Codes of an operation on one resource. */
export const one = ["invalid_parameter", "not_found"] as const;

/** Codes of an operation that takes an Idempotency-Key. */
export const idempotent = ["invalid_parameter", "idempotency_conflict"] as const;

/** Codes of content in an input, wherever it is sent. */
export const content = [
  "files_require_sandbox",
  "unsupported_reasoning_effort",
  "unsupported_image_input",
  "invalid_image",
  "image_limits_exceeded",
  "image_preparation_failed",
] as const;
