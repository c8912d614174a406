import { incompleteBody, invalidRequest, malformedTrailer, S3Refusal } from "./errors.ts";

const MAX_LINE_BYTES = 4096;
const MAX_TRAILERS = 16;
const MIN_CHUNK_BYTES = 8192;

/** Reads lines and counted bytes from a stream of buffers. */
type Reader = {
  line(): Promise<string>;
  some(limit: number): Promise<Buffer>;
  atEnd(): Promise<boolean>;
};

/**
 * Takes the `aws-chunked` framing off a body and yields the data. Trailers, lower-case, are put into `trailers`
 * before the generator ends. Chunk signatures are not checked.
 * Throws `IncompleteBody`, `InvalidRequest`, `MalformedTrailerError`, and as S3 does `InvalidChunkSizeError` for a
 * chunk under 8 KiB that is not the last.
 */
export async function* decodeChunks(
  source: AsyncIterable<Buffer>,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const buffers = source[Symbol.asyncIterator]();
  try {
    yield* decode(makeReader(buffers), trailers);
  } finally {
    // Lets go of the stream also after a refusal, so that what is left of the body can be drained.
    await buffers.return?.();
  }
}

async function* decode(reader: Reader, trailers: Map<string, string>): AsyncGenerator<Buffer> {
  let previous: number | undefined;
  for (let index = 1; ; index++) {
    const size = parseSize(await reader.line());
    if (size === 0) break;
    if (previous !== undefined && previous < MIN_CHUNK_BYTES) throw chunkTooSmall(index, previous);
    previous = size;
    for (let left = size; left > 0; ) {
      const data = await reader.some(left);
      left -= data.length;
      yield data;
    }
    if ((await reader.line()) !== "")
      throw invalidRequest("A chunk of the body is longer than its size says");
  }
  await readTrailers(reader, trailers);
  if (!(await reader.atEnd())) throw invalidRequest("There are bytes after the last chunk of the body");
}

async function readTrailers(reader: Reader, trailers: Map<string, string>): Promise<void> {
  for (let line = await reader.line(); line !== ""; line = await reader.line()) {
    const colon = line.indexOf(":");
    if (colon < 1 || trailers.size >= MAX_TRAILERS) throw malformedTrailer();
    trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
}

function parseSize(line: string): number {
  const [size = ""] = line.split(";");
  if (!/^[0-9a-f]{1,8}$/i.test(size)) throw invalidRequest("A chunk of the body has no valid size");
  return Number.parseInt(size, 16);
}

function chunkTooSmall(index: number, size: number): S3Refusal {
  const message = `Only the last chunk is allowed to have a size less than ${MIN_CHUNK_BYTES} bytes`;
  return new S3Refusal(403, "InvalidChunkSizeError", message, {
    Chunk: String(index),
    BadChunkSize: String(size),
  });
}

function makeReader(buffers: AsyncIterator<Buffer>): Reader {
  let pending: Buffer = Buffer.alloc(0);

  async function fill(): Promise<boolean> {
    const next = await buffers.next();
    if (next.done) return false;
    pending = pending.length === 0 ? next.value : Buffer.concat([pending, next.value]);
    return true;
  }

  async function line(): Promise<string> {
    for (;;) {
      const end = pending.indexOf("\r\n");
      if (end >= 0) {
        const text = pending.toString("latin1", 0, end);
        pending = pending.subarray(end + 2);
        return text;
      }
      if (pending.length > MAX_LINE_BYTES) throw invalidRequest("The framing of the body is not aws-chunked");
      if (!(await fill())) throw incompleteBody();
    }
  }

  async function some(limit: number): Promise<Buffer> {
    while (pending.length === 0) {
      if (!(await fill())) throw incompleteBody();
    }
    const data = pending.subarray(0, limit);
    pending = pending.subarray(data.length);
    return data;
  }

  async function atEnd(): Promise<boolean> {
    while (pending.length === 0) {
      if (!(await fill())) return true;
    }
    return false;
  }

  return { line, some, atEnd };
}
