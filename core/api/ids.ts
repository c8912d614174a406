import { type IdPrefix, newId } from "../../contract/ids.ts";
import type { ApiPorts } from "./operation.ts";

/** A new id and the moment it is ordered by: one reading of the clock, so that lists by id are lists by age. */
export function mint(
  { clock, newSuffix }: Pick<ApiPorts, "clock" | "newSuffix">,
  prefix: IdPrefix,
): { readonly id: string; readonly at: string } {
  const now = clock.now();
  return { id: newId(prefix, newSuffix(now)), at: new Date(now).toISOString() };
}

/** Characters that no id ever had; one as long as a request may be would not even fit a key of the table. */
const LONGEST_ID = 128;

/** False for an id that nothing can have, however well-formed it is. */
export const couldExist = (id: string): boolean => id.length <= LONGEST_ID;
