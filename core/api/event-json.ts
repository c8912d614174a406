import type { Event } from "../../contract/schemas/events.ts";
import type { MessageDelta } from "../../contract/schemas/stream.ts";

/** What readers by line take for a line's end and JSON leaves as it is: NEL, line and paragraph separator. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/**
 * An event or a preview as JSON text of one line, whoever counts the lines. Every transport writes this text: these
 * characters stand in strings only, where an escape means the same.
 */
export const eventJson = (event: Event | MessageDelta): string =>
  JSON.stringify(event).replace(LINE_ENDS, escaped);

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
