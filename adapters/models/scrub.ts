/**
 * Makes a provider's error message safe to keep and show: no credential, no control characters, bounded.
 */
import { wellFormedText } from "../../contract/nul.ts";

/** Longest message of a failure, in characters. */
export const MESSAGE_LIMIT = 500;

/** What is looked at of a message; whatever a provider sends beyond it cannot fit anyway. */
const READ_LIMIT = 4_000;

/** A run of this many characters of the key counts as a leak. */
const KEY_PART = 8;

const redacted = "[redacted]";

/** Tokens that look like keys of any provider, and keys that a provider has masked itself ("sk-ab***yz"). */
const keyShapes = [
  /\b(?:sk|rk|pk|sess|key)-[\w.*…•-]{4,}/gi,
  /\bBearer\s+\S+/gi,
  /[^\s"'`]*(?:\*{3,}|•{3,})[^\s"'`]*/g,
];

/** Replaces every run of `text` that is also a run of at least `KEY_PART` characters of the key. */
function withoutKey(text: string, key: string): string {
  const width = Math.min(KEY_PART, key.length);
  if (width === 0) return text;
  const secret = new Array<boolean>(text.length).fill(false);
  for (let start = 0; start + width <= key.length; start += 1) {
    const part = key.slice(start, start + width);
    for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
      secret.fill(true, at, at + width);
    }
  }
  let clean = "";
  for (let at = 0; at < text.length; at += 1) {
    if (!secret[at]) clean += text[at];
    else if (at === 0 || !secret[at - 1]) clean += redacted;
  }
  return clean;
}

/** Cuts to `limit` characters, the ellipsis included, never in the middle of a character. */
function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

/** One line of at most `limit` characters in which neither `apiKey`, a part of it, nor any other key is left. */
export function safeMessage(message: string, apiKey: string, limit: number = MESSAGE_LIMIT): string {
  let text = withoutKey(message.slice(0, READ_LIMIT), apiKey);
  for (const shape of keyShapes) text = text.replace(shape, redacted);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
  return bounded(wellFormedText(text.replace(/[\u0000-\u001F\u007F\s]+/g, " ").trim()), limit);
}
