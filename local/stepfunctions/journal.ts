import { mkdir, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { readLines, syncDirectory, writeSnapshot } from "./journal-file.ts";
import type { JournalRecord } from "./records.ts";

/** An append-only log. Records are durable in the order of their appends. */
export type Journal = {
  /** Resolves once the record is on disk. Rejects for ever after the first failed write. */
  append(record: JournalRecord): Promise<void>;
  /** Resolves once everything appended so far is on disk. */
  settled(): Promise<void>;
  /** Writes what is left and closes the file. */
  close(): Promise<void>;
};

/** A journal for executions that need not outlive the process. */
export function memoryJournal(): Journal {
  const done = Promise.resolve();
  return { append: () => done, settled: () => done, close: () => done };
}

/** Where and how a journal is kept. */
export type JournalOptions = {
  readonly directory: string;
  /** Reads one line; undefined when it is none of ours. */
  readonly parse: (line: string) => JournalRecord | undefined;
  /** Takes the records found on disk, oldest first. */
  readonly replay: (record: JournalRecord) => void;
  /** Everything worth keeping, including all that was appended so far, as it is at this moment. */
  readonly snapshot: () => readonly JournalRecord[];
  /** The log is rewritten when it exceeds this and twice its last rewritten size. Default 8 MiB. */
  readonly compactAfterBytes?: number;
};

type Pending = {
  readonly line: string;
  readonly resolve: () => void;
  readonly reject: (cause: Error) => void;
};

const fileName = "executions.log";
const defaultCompactAfterBytes = 8 * 1024 * 1024;

/**
 * Opens a journal and replays it. Appends made while a write is under way share the next one's fsync.
 * What a killed process left unfinished at the end is cut off; nothing there had been acknowledged.
 * @throws when the log is damaged anywhere else.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  await mkdir(options.directory, { recursive: true });
  const path = join(options.directory, fileName);
  let size = await readLines(path, (line) => {
    const record = options.parse(line);
    if (record) options.replay(record);
    return record !== undefined;
  });
  let file = await open(path, "a");
  await syncDirectory(options.directory);
  const compactAfter = options.compactAfterBytes ?? defaultCompactAfterBytes;
  let compactAt = compactAfter;
  let pending: Pending[] = [];
  let writing: Promise<void> | undefined;
  let failure: Error | undefined;
  let last: Promise<void> = Promise.resolve();

  async function write(batch: readonly Pending[]): Promise<void> {
    const data = Buffer.from(batch.map((entry) => entry.line).join(""));
    await file.appendFile(data);
    await file.datasync();
    size += data.length;
  }

  async function compact(): Promise<readonly Pending[]> {
    // What is appended but not yet written is part of the snapshot already.
    const covered = pending;
    pending = [];
    const temporary = `${path}.new`;
    size = await writeSnapshot(temporary, options.snapshot());
    await rename(temporary, path);
    await syncDirectory(options.directory);
    await file.close();
    file = await open(path, "a");
    compactAt = Math.max(compactAfter, 2 * size);
    return covered;
  }

  async function drain(): Promise<void> {
    while (pending.length > 0) {
      let batch: readonly Pending[] = pending;
      try {
        if (size > compactAt) batch = await compact();
        else {
          pending = [];
          await write(batch);
        }
        for (const entry of batch) entry.resolve();
      } catch (thrown) {
        failure = new Error(`The journal ${path} cannot be written. Free the disk and start again.`, {
          cause: thrown,
        });
        for (const entry of [...batch, ...pending]) entry.reject(failure);
        pending = [];
      }
    }
    writing = undefined;
  }

  function append(record: JournalRecord): Promise<void> {
    const durable = new Promise<void>((resolve, reject) => {
      if (failure) return reject(failure);
      pending.push({ line: `${JSON.stringify(record)}\n`, resolve, reject });
      writing ??= drain();
    });
    // Not everybody waits for every append; a failed one is seen by the next.
    durable.catch(() => undefined);
    last = durable;
    return durable;
  }

  return {
    append,
    settled: () => last,
    async close() {
      await writing;
      await file.close();
    },
  };
}
