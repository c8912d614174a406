/** Time and waiting, so that the core asks for both and never reads them. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after that many milliseconds; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1), for jitter. */
  random(): number;
};

/** RFC 3339 UTC with milliseconds: sorts as text. */
export const timestamp = (clock: Clock): string => new Date(clock.now()).toISOString();
