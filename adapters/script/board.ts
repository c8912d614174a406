/**
 * Memory shared by the host and one worker while a script runs: the output so far, and a counter that
 * moves while the worker is in control. It outlives a worker that had to be killed. The script itself
 * has no way to it.
 */
import { limits } from "./limits.ts";

const LENGTH = 0;
const CUT = 1;
const BEATS = 2;
const HEADER_BYTES = 12;
const NOTE = `\n[The output was cut: ${limits.outputChars} characters are the limit. Print or return less.]`;

export function createBoard(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + 2 * limits.outputChars);
}

export type BoardWriter = {
  /** Adds a line of output; what does not fit is dropped. */
  line(text: string): void;
  /** Says that the worker is still in control. */
  beat(): void;
};

export function boardWriter(board: SharedArrayBuffer): BoardWriter {
  const header = new Int32Array(board, 0, 3);
  const units = new Uint16Array(board, HEADER_BYTES);
  let lines = 0;
  const append = (text: string): void => {
    const start = Atomics.load(header, LENGTH);
    const fits = Math.min(text.length, units.length - start);
    for (let index = 0; index < fits; index += 1) units[start + index] = text.charCodeAt(index);
    Atomics.store(header, LENGTH, start + fits);
    if (fits < text.length) Atomics.store(header, CUT, 1);
  };
  return {
    line(text) {
      append(lines === 0 ? text : `\n${text}`);
      lines += 1;
    },
    beat() {
      Atomics.add(header, BEATS, 1);
    },
  };
}

/** How often the worker said that it is in control. */
export function readBeats(board: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(board, 0, 3), BEATS);
}

/** The output so far, at most `limits.outputChars` characters; ends with a note when there was more. */
export function readOutput(board: SharedArrayBuffer): string {
  const header = new Int32Array(board, 0, 3);
  const length = Math.min(Math.max(Atomics.load(header, LENGTH), 0), limits.outputChars);
  const text = Buffer.from(board, HEADER_BYTES, 2 * length).toString("utf16le");
  return Atomics.load(header, CUT) === 0 ? text : text.slice(0, limits.outputChars - NOTE.length) + NOTE;
}
