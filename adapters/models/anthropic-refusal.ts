/**
 * Which entry of the conversation a refusal of the Messages API names.
 */
import type { Locate } from "./objection.ts";

/** The place of a block in the request: `messages.3.content.1.tool_use.name: …`. */
const place = /\bmessages\.(\d+)(?:\.content\.(\d+))?/;

/** `origins` gives for each message the entry that each of its blocks is of. */
export function locateIn(origins: () => readonly (readonly number[])[]): Locate {
  return ({ message }) => {
    const [found, at, block] = place.exec(message ?? "") ?? [];
    if (found === undefined) return null;
    const blocks = origins()[Number(at)];
    return blocks?.[Number(block ?? 0)] ?? blocks?.[0] ?? null;
  };
}
