/** What the host and a worker say to each other: JSON text on its way in, the first problem on its way out. */
import * as z from "zod";

export type CheckText = {
  readonly schema: string;
  /** Null when only the schema is looked at. */
  readonly value: string | null;
};

export const FromWorker = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  /** The next check is this one: said before, because a check may be the last thing that a worker does. */
  z.object({ type: z.literal("at"), index: z.int().nonnegative() }),
  z.object({
    type: z.literal("checked"),
    problem: z.object({ index: z.int().nonnegative(), problem: z.string() }).nullable(),
    /** The process has grown too large to be used again. */
    spent: z.boolean(),
  }),
]);
export type FromWorker = z.infer<typeof FromWorker>;

/** How the guard ends its process, so that the host knows why. */
export const endings = { tooLong: "SIGTERM", tooMuch: "SIGKILL" } as const;
