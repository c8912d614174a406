/** The environment variable that tells the preload what to do. */
export const planVariable = "STEPYARD_CRASH_PLAN";

export const moments = ["before", "after"] as const;
export type When = (typeof moments)[number];

/** Ends the process at the `nth` step of that name, before it is done or after it was and nobody knows yet. */
export type Point = { readonly step: string; readonly nth: number; readonly when: When };

export const manners = ["after another", "at once"] as const;
export type Manner = (typeof manners)[number];

/** Does every step of that name twice. */
export type Double = { readonly step: string; readonly manner: Manner };

export type Plan =
  /** Writes the name of every step to a file, a line each. */
  { readonly record: string } | { readonly kill: Point } | { readonly double: Double };

/** What happens to the stack, and to the one that is started after that was killed. */
export type Plans = { readonly first: Plan; readonly again: Plan | null };

/** Messages between the stack's parts: what may be delivered twice. */
export const messages = [
  "invoke advance",
  "invoke await",
  "invoke lost",
  "invoke fanout",
  "invoke sweep",
  "StartExecution",
  "SendTaskSuccess",
] as const;

export const nameOf = ({ step, nth, when }: Point): string => `${when} ${step} ${nth}`;

export const nameOfDouble = ({ step, manner }: Double): string => `twice ${step} ${manner}`;

/** The first request to the API: what comes before it is the stack's start. */
const isRequest = (step: string): boolean => step.startsWith("invoke api");

/** A request that was not read is one that was not sent, and nobody waits for what the stream's consumer answers. */
function momentsOf(step: string): readonly When[] {
  if (isRequest(step)) return ["after"];
  return step === "invoke fanout" ? ["before"] : moments;
}

/** The moments of every step of a record, with or without those of the stack's start. */
export function pointsOf(record: readonly string[], withStart: boolean): Point[] {
  const counts = new Map<string, number>();
  const start = record.findIndex(isRequest);
  return record.flatMap((step, index) => {
    const nth = (counts.get(step) ?? 0) + 1;
    counts.set(step, nth);
    return withStart || index >= start ? momentsOf(step).map((when) => ({ step, nth, when })) : [];
  });
}
