import { idSuffix, parseSequencedId, sequencedId } from "../../contract/ids.ts";

/** A run's answers are numbered from 0; each attempt at one has a message id of its own, as its preview starts anew. */
const ATTEMPTS_PER_ANSWER = 100;
const numberDigits = 8;

/** The message of a run's n-th answer at the given attempt: known before it is committed, so that previews can name it. */
export function messageId(sessionId: string, runId: string, answer: number, attempt: number): string {
  const run = parseSequencedId(runId, sessionId);
  if (run === null) throw new RangeError(`${runId} is not a run of ${sessionId}`);
  const number = answer * ATTEMPTS_PER_ANSWER + attempt;
  return `${sequencedId("msg", sessionId, run)}${String(number).padStart(numberDigits, "0")}`;
}

/** Run sequence, message number and answer of a message id; null for one of another session or form. */
export function parseMessageId(
  id: string,
  sessionId: string,
): { run: number; number: number; answer: number } | null {
  const digits = id.slice(-numberDigits);
  const form = /^msg_[A-Za-z0-9]+$/.test(id) && /^\d+$/.test(digits) && idSuffix(id).length > numberDigits;
  const run = form ? parseSequencedId(id.slice(0, -numberDigits), sessionId) : null;
  if (run === null) return null;
  const number = Number(digits);
  return { run, number, answer: Math.floor(number / ATTEMPTS_PER_ANSWER) };
}
