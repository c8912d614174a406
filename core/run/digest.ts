import { cutMiddle, longestText, textOf, textTokens } from "./size.ts";
import type { StoredEntry } from "./transcript.ts";

/** A run of characters that no language has: sealed reasoning, signatures, encoded bytes. */
const OPAQUE = /[\w+/=-]{200,}/g;

/**
 * The entries as one text of about so many tokens at most, for a model that cannot take them as they were: each
 * loses its middle where it has to, answers of the model included. The same entries always give the same text.
 */
export function digest(entries: readonly StoredEntry[], most: number): string {
  const parts = entries.map(told);
  const longest = longestText(parts.map(textTokens), most);
  const short = longest === null ? parts : parts.map((part) => cutMiddle(part, longest));
  return cutMiddle(short.join("\n\n"), most);
}

function told(entry: StoredEntry): string {
  switch (entry.type) {
    case "summary":
      return `[Earlier summary]\n${entry.text}`;
    case "script":
      return `[${entry.failed ? "Error" : "Output"} of a script]\n${entry.output}`;
    case "answer":
      return `[Your answer, as JSON]\n${JSON.stringify(entry.native).replace(OPAQUE, "…")}`;
    case "note":
      return entry.text;
    case "declined":
      return "[An exchange that was declined is left out]";
    case "user":
      return `[User]\n${entry.content.map((block) => textOf(block) ?? "[An attachment]").join("\n")}`;
  }
}
