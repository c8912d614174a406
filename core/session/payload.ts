import * as z from "zod";
import { canonicalJson } from "../../contract/canonical.ts";
import { JsonValue } from "../../contract/schemas/common.ts";

/**
 * A value of unbounded size as the session keeps it: small ones in place, large ones as a reference
 * to an object in S3 whose key ends in the hash of the canonical JSON, so that equal values are
 * equal references. Taken as it is: a schema that copied it would lose keys such as `__proto__`, and a retry of
 * a result that has one would differ from what was accepted.
 */
export const Payload = z.union([
  z.strictObject({ inline: JsonValue }),
  z.strictObject({ blob: z.string(), bytes: z.int().nonnegative() }),
]);
export type Payload = z.infer<typeof Payload>;

/** Bodies above this many bytes of canonical JSON leave the item for S3. Eight write units are the price of one PUT. */
export const INLINE_BYTES = 8_192;

/** Structural equality: key order is ignored, array order is not (reference: post_sessions_session_id_tool_results). */
export function samePayload(a: Payload, b: Payload): boolean {
  if ("inline" in a && "inline" in b) return canonicalJson(a.inline) === canonicalJson(b.inline);
  if ("blob" in a && "blob" in b) return a.blob === b.blob;
  return false;
}
