/**
 * Runs one request to a provider under two clocks and the caller's signal.
 */
import { ModelFailure } from "../../core/ports/model.ts";
import { failureOf, type SdkErrors } from "./failures.ts";
import type { Locate } from "./objection.ts";

export type ModelTimeouts = {
  /** Milliseconds until the response headers. */
  readonly headersMs: number;
  /** Milliseconds between two pieces of the response body, keep-alive pings included. */
  readonly idleMs: number;
  /** Milliseconds for the whole answer, however often there is a sign of life. */
  readonly answerMs: number;
};

/**
 * Providers answer with headers within seconds even when the model thinks for minutes, and send a ping every
 * 10-30 s while it does. Two minutes is four missed pings. Both stay below the 300 s after which Node's fetch
 * gives up by itself, so that the failure is always ours to word.
 */
export const DEFAULT_TIMEOUTS: ModelTimeouts = { headersMs: 180_000, idleMs: 120_000, answerMs: 600_000 };

export type Watched = {
  /** Aborted by the caller's signal or by silence. Give it to the SDK. */
  readonly signal: AbortSignal;
  /** Counts every byte of the body as a sign of life. Give it to the SDK. */
  readonly fetch: typeof fetch;
};

export type WatchOptions = {
  readonly signal: AbortSignal;
  readonly idleMs: number;
  readonly answerMs: number;
  readonly apiKey: string;
  readonly sdk: SdkErrors;
  readonly locate: Locate;
};

/** Runs `work`; rejects with the signal's reason when it was aborted, and with a `ModelFailure` when it failed. */
export async function watched<T>(options: WatchOptions, work: (watch: Watched) => Promise<T>): Promise<T> {
  const silence = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // The engine begins no request with less time than this left to its function.
  const end = setTimeout(() => silence.abort(endless(options.answerMs)), options.answerMs);
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(silent(options.idleMs)), options.idleMs);
  };
  try {
    const signal = AbortSignal.any([options.signal, silence.signal]);
    return await work({ signal, fetch: (input, init) => fetchAlive(alive, input, init) });
  } catch (error) {
    // The SDKs report an abort in several ways, or simply end the stream: what counts is which signal fired.
    if (options.signal.aborted) throw options.signal.reason;
    if (silence.signal.aborted) throw silence.signal.reason;
    throw failureOf(error, options);
  } finally {
    clearTimeout(timer);
    clearTimeout(end);
  }
}

function silent(idleMs: number): ModelFailure {
  return new ModelFailure(`the provider sent nothing for ${idleMs / 1_000} s`, { retryable: true });
}

function endless(answerMs: number): ModelFailure {
  return new ModelFailure(`the provider did not end its answer in ${answerMs / 1_000} s`, {
    retryable: true,
  });
}

async function fetchAlive(
  alive: () => void,
  input: Parameters<typeof fetch>[0],
  init: Parameters<typeof fetch>[1],
): Promise<Response> {
  // A redirect would carry the conversation to another host: its status is reported instead of followed.
  const response = await fetch(input, { ...init, redirect: "manual" });
  alive();
  // What is said of an error is short: its pieces are no sign of life.
  if (!response.ok || response.body === null) return response;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        alive();
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}
