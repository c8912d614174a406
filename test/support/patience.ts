/**
 * How long tests of a whole stack may take, in milliseconds. A machine that does much else at the time is slow,
 * and a test that waits for a condition loses nothing by a late limit.
 */
export const patience = { hook: 120_000, test: { timeout: 60_000 } } as const;
