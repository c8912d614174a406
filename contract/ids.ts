/**
 * Identifiers: a prefix that names the kind of thing, an underscore, and a suffix of letters and digits.
 *
 * What lives inside a session (runs, inputs, messages, calls, events) has a sequenced id: the session's own
 * suffix followed by the sequence of the event that minted it. So an id alone says under which key its record
 * lies, no index from id to key is kept, and an id of another session is recognised without a read.
 */

/** The prefix of every kind of id. */
export const idPrefixes = {
  session: "ses",
  run: "run",
  input: "inp",
  message: "msg",
  toolCall: "call",
  event: "evt",
  agent: "agt",
  modelApiKey: "mkey",
  apiKey: "key",
  connection: "conn",
  file: "file",
  sandbox: "sbx",
  project: "prj",
} as const;

export type IdPrefix = (typeof idPrefixes)[keyof typeof idPrefixes];

/** Decimal digits of the sequence in a sequenced id; fixed, so that ids of one session sort by sequence. */
export const sequenceDigits = 10;

const maxSequence = 10 ** sequenceDigits - 1;
const idForm = /^([a-z]+)_([A-Za-z0-9]+)$/;
const prefixes: ReadonlySet<string> = new Set(Object.values(idPrefixes));

/** The pattern that every id with this prefix matches. */
export function idPattern(prefix: IdPrefix): RegExp {
  return new RegExp(`^${prefix}_[A-Za-z0-9]+$`);
}

/**
 * Joins a prefix and a suffix, such as a ULID.
 *
 * @throws RangeError when the suffix is empty or has anything but ASCII letters and digits.
 */
export function newId(prefix: IdPrefix, suffix: string): string {
  if (!/^[A-Za-z0-9]+$/.test(suffix)) {
    throw new RangeError(`An id suffix is made of ASCII letters and digits, not ${JSON.stringify(suffix)}.`);
  }
  return `${prefix}_${suffix}`;
}

/**
 * The part of an id after its prefix.
 *
 * @throws RangeError when the text is not an id with a known prefix.
 */
export function idSuffix(id: string): string {
  const [, prefix, suffix] = idForm.exec(id) ?? [];
  if (prefix === undefined || suffix === undefined || !prefixes.has(prefix)) {
    throw new RangeError(`${JSON.stringify(id)} is not an id; pass one such as ses_01J8Z.`);
  }
  return suffix;
}

/**
 * The id of a thing inside a session, minted by the event with this sequence (1 to 9,999,999,999).
 *
 * @throws RangeError when the sequence is outside that range or `sessionId` is not an id.
 */
export function sequencedId(prefix: IdPrefix, sessionId: string, sequence: number): string {
  if (!Number.isInteger(sequence) || sequence < 1 || sequence > maxSequence) {
    throw new RangeError(`A sequence is a whole number from 1 to ${maxSequence}, not ${sequence}.`);
  }
  return `${prefix}_${idSuffix(sessionId)}${String(sequence).padStart(sequenceDigits, "0")}`;
}

/** The sequence in a sequenced id; null when it is malformed or of another session. */
export function parseSequencedId(id: string, sessionId: string): number | null {
  const [, prefix, suffix] = idForm.exec(id) ?? [];
  if (prefix === undefined || suffix === undefined || !prefixes.has(prefix)) return null;
  const sessionSuffix = idSuffix(sessionId);
  const digits = suffix.slice(sessionSuffix.length);
  if (!suffix.startsWith(sessionSuffix) || digits.length !== sequenceDigits || !/^\d+$/.test(digits))
    return null;
  const sequence = Number(digits);
  return sequence === 0 ? null : sequence;
}
