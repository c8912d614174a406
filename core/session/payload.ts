import * as z from "zod";
import { canonicalJson } from "../../contract/canonical.ts";
import type { Json } from "../../contract/json.ts";

/**
 * A value of unbounded size as the session keeps it: small ones in place, large ones as a reference
 * to an object in S3 whose key ends in the hash of the canonical JSON, so that equal values are
 * equal references.
 */
export const Payload = z.union([
  z.strictObject({ inline: z.json() }),
  z.strictObject({ blob: z.string(), bytes: z.int().nonnegative() }),
]);
export type Payload = z.infer<typeof Payload>;

/** Bodies above this many bytes of canonical JSON leave the item for S3. Eight write units are the price of one PUT. */
export const INLINE_BYTES = 8_192;

/** Structural equality: key order is ignored, array order is not (reference: post_sessions_session_id_tool_results). */
export function samePayload(a: Payload, b: Payload): boolean {
  if ("inline" in a && "inline" in b)
    return canonicalJson(a.inline as Json) === canonicalJson(b.inline as Json);
  if ("blob" in a && "blob" in b) return a.blob === b.blob;
  return false;
}
