/** The quotas of Step Functions that an execution can run into. */

/** Bytes of UTF-8 that a state's input, arguments, result or output may take as JSON. */
export const maximumDataBytes = 262_144;

/** Events of one execution; the last one is always the event that ends it. */
export const maximumEvents = 25_000;

/** Characters of an execution's name. */
export const maximumNameLength = 80;

/** Seconds of a timeout, a heartbeat or a Wait: about three years. */
export const maximumSeconds = 99_999_999;

/** Characters of a task token. */
export const maximumTokenLength = 1024;

/** The bytes that a JSON text takes on the wire. */
export function bytesOf(json: string): number {
  return Buffer.byteLength(json, "utf8");
}
