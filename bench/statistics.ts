/** Median and 99th percentile of some milliseconds, rounded to a tenth. */
export type Spread = { readonly p50: number; readonly p99: number; readonly count: number };

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { p50: tenth(at(0.5)), p99: tenth(at(0.99)), count: sorted.length };
}

export const tenth = (value: number): number => Math.round(value * 10) / 10;
