/**
 * Which entry of the conversation a refusal of the Responses API names.
 */
import type { ResponseInputItem } from "openai/resources/responses/responses";
import type { Locate } from "./objection.ts";

/** The place of an item in the request: `input[3].arguments`. */
const place = /\binput\[(\d+)\]/;

/** An id, and no word that a message may have by chance. */
const looksLikeId = /[\d_]/;

/** Finds the entry by the place of its item, or by the item's id. `input` gives the items of each entry. */
export function locateIn(input: () => readonly (readonly ResponseInputItem[])[]): Locate {
  return ({ param, message }) => {
    const found = place.exec(param ?? "") ?? place.exec(message ?? "");
    const entries = input();
    if (found !== null) return byPlace(entries, Number(found[1]));
    // What the provider places elsewhere, in the tools for example, is none of these.
    return param === null || param.startsWith("input") ? byId(entries, message ?? "") : null;
  };
}

function byPlace(entries: readonly (readonly unknown[])[], position: number): number | null {
  let end = 0;
  for (const [entry, items] of entries.entries()) {
    end += items.length;
    if (position < end) return entry;
  }
  return null;
}

function byId(entries: readonly (readonly ResponseInputItem[])[], message: string): number | null {
  const words = new Set(message.match(/[\w-]+/g));
  const entry = entries.findIndex((items) => items.some((item) => idsOf(item).some((id) => words.has(id))));
  return entry === -1 ? null : entry;
}

function idsOf(item: ResponseInputItem): string[] {
  const ids = ["id" in item ? item.id : null, "call_id" in item ? item.call_id : null];
  return ids.filter((id) => typeof id === "string" && looksLikeId.test(id)) as string[];
}
