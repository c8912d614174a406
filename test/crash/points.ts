/** The environment variable that tells the preload what to do, and its two forms. */
export const planVariable = "STEPYARD_CRASH_PLAN";

export const moments = ["before", "after"] as const;
export type When = (typeof moments)[number];

/** Ends the process at the `nth` call of that name, before it is sent or after its answer came. */
export type Point = { readonly call: string; readonly nth: number; readonly when: When };

export type Plan =
  /** Writes the name of every call to a file, a line each. */
  { readonly record: string } | { readonly kill: Point };

export const nameOf = ({ call, nth, when }: Point): string => `${when} ${call} ${nth}`;

/** Both moments of every call of a record. */
export function pointsOf(record: readonly string[]): Point[] {
  const counts = new Map<string, number>();
  return record.flatMap((call) => {
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    return moments.map((when) => ({ call, nth, when }));
  });
}
