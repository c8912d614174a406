import type { Decision, Refusal } from "../session/decision.ts";
import type { Handled } from "../session/handle.ts";
import { ApiError, notFound } from "./error.ts";

/** Seconds that a client waits when a session holds as much as it can. */
const BUSY_RETRY_SECONDS = 5;

/** The decision that was committed or had nothing to do; a refusal is the request's error. */
export function committed(handled: Handled, what: string): Decision {
  if (handled.outcome === "missing") throw notFound(what);
  if (handled.outcome === "refused") throw refusalError(handled.refusal, what);
  return handled.decision;
}

/** A refusal as the request's error. */
export function refusalError({ code, message }: Refusal, what: string): Error {
  if (code === "stale") return new Error(`an engine's refusal reached the API: ${message}`);
  if (code === "not_found") return message === "" ? notFound(what) : new ApiError(code, message);
  return new ApiError(code, message, code === "rate_limited" ? { retryAfter: BUSY_RETRY_SECONDS } : {});
}
