/** A number of tokens as a provider reports it: a count, or 0 where it is none. */
export const count = (tokens: number | null | undefined): number =>
  typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
