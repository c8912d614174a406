/** How large an answer in one piece may be, and what a value takes of it. */

/**
 * What Lambda takes of a function in one piece: 6 MiB and a hundred bytes, counted over the whole JSON in which the body
 * is a string. The laptop keeps to it as well, so that no list grows there that AWS could not show.
 */
export const largestAnswer = 6_291_556;

/** Status, headers, the frame of a page and a cursor with the longest subject: 5 KB at most. */
const around = 8_192;
/** What the records of a page may weigh. */
export const pageBytes = largestAnswer - around;

/** What an event says about an input, a session or a call beside showing it: 1 KB at most. */
const aroundRecord = 8_192;
/** What a record may weigh to be accepted: it fits a page, and so does an event that shows it. */
export const recordBytes = pageBytes - aroundRecord;

/** A session shows its agent's configuration; the other half is for the calls that wait and all else. */
export const configBytes = recordBytes / 2;

/** Bytes that a JSON value takes in a string of JSON, which doubles quotes and backslashes. */
export function weigh(value: unknown): number {
  const json = JSON.stringify(value);
  let bytes = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE || code === BACKSLASH) bytes += 2;
    else if (code < 0x80) bytes += 1;
    // Halves of a pair come in twos here, of four bytes together.
    else bytes += code < 0x800 || isHalf(code) ? 2 : 3;
  }
  return bytes;
}

const QUOTE = 34;
const BACKSLASH = 92;
const isHalf = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
