/** No request has nearly as many tokens: such a count, and any sum of counts, stays far within what a number holds. */
const MOST = 1_000_000_000;

/** A number of tokens as a provider reports it: a count, or 0 where it is none that can be. */
export const count = (tokens: number | null | undefined): number =>
  typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens > 0 && tokens <= MOST ? tokens : 0;
