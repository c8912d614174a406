import { createReadStream, existsSync } from "node:fs";
import { open, truncate } from "node:fs/promises";
import type { JournalRecord } from "./records.ts";

const snapshotPiece = 1024 * 1024;
const newline = 10;

/**
 * Gives every line of a journal to `take`, which says whether it was sound, and returns the file's
 * length, 0 when there is none. An unsound or unfinished tail, as a killed process leaves it, is cut off.
 * @throws when a sound line follows an unsound one.
 */
export async function readLines(path: string, take: (line: string) => boolean): Promise<number> {
  let rest: Buffer = Buffer.alloc(0);
  let length = 0;
  let sound = 0;
  if (!existsSync(path)) return 0;
  for await (const chunk of createReadStream(path)) {
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline, from)) {
      const lineStart = length;
      length += end + 1 - from;
      if (take(rest.toString("utf8", from, end))) {
        if (sound !== lineStart) throw damaged(path, sound);
        sound = length;
      }
      from = end + 1;
    }
    rest = rest.subarray(from);
  }
  if (length + rest.length > sound) await truncate(path, sound);
  return sound;
}

/** Writes records to a new file, in pieces, and makes it durable. Returns its length. */
export async function writeSnapshot(path: string, records: readonly JournalRecord[]): Promise<number> {
  await using file = await open(path, "w");
  let size = 0;
  for (const piece of piecesOf(records)) {
    await file.appendFile(piece);
    size += piece.length;
  }
  await file.sync();
  return size;
}

/** Makes a created or renamed file's name durable. */
export async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}

function* piecesOf(records: readonly JournalRecord[]): Generator<Buffer> {
  let lines: string[] = [];
  let length = 0;
  for (const record of records) {
    const line = `${JSON.stringify(record)}\n`;
    lines.push(line);
    length += line.length;
    if (length < snapshotPiece) continue;
    yield Buffer.from(lines.join(""));
    lines = [];
    length = 0;
  }
  yield Buffer.from(lines.join(""));
}

function damaged(path: string, offset: number): Error {
  return new Error(
    `The journal ${path} is damaged at byte ${offset}, before its end. Restore it, or delete it to lose its executions.`,
  );
}
