/**
 * Fields of a provider's events. What comes from outside is open: what is missing or of another type counts as left
 * out, and how much that matters is said where it is read.
 */
import * as z from "zod";

/** A place in the answer; null where there is none. Some servers send it as text. */
export const index = z
  .union([
    z.int().nonnegative(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .nullable()
  .catch(null);

export const text = z.string().catch("");

export const tokens = z.number().nullish().catch(null);

/** An event of any kind. */
export const typed = z.object({ type: text }).catch({ type: "" });
