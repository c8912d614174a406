import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import * as z from "zod";

/*
 * One file an object: the body, then the metadata as JSON, then the length of that JSON (4 bytes, big endian) and a
 * mark. The metadata comes last because size and checksums are known last; body and metadata are one rename.
 */
const MARK = Buffer.from("S3OBJ\u0000\u00001", "latin1");
const TAIL_BYTES = 4 + MARK.length;

const metadataSchema = z.strictObject({
  bucket: z.string(),
  key: z.string(),
  size: z.number().int().nonnegative(),
  etag: z.string(),
  lastModified: z.number().int(),
  headers: z.record(z.string(), z.string()),
  checksums: z.record(z.string(), z.string()),
});

/**
 * What is known of a stored object. `etag` is hex without quotes, `lastModified` in ms, `headers` what a GET sends
 * back (lower-case), `checksums` base64 by algorithm.
 */
export type ObjectMetadata = z.infer<typeof metadataSchema>;

/** The bytes that follow the body in an object's file. */
export function encodeMetadata(metadata: ObjectMetadata): Buffer {
  const json = Buffer.from(JSON.stringify(metadata));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length, MARK]);
}

/** Reads an object's metadata from its file. Throws an Error that names the file when it is damaged. */
export function readMetadata(path: string): ObjectMetadata {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const tail = readBytes(file, size - TAIL_BYTES, TAIL_BYTES);
    const length = tail.length === TAIL_BYTES && tail.subarray(4).equals(MARK) ? tail.readUInt32BE() : -1;
    const json = length < 0 ? undefined : readBytes(file, size - TAIL_BYTES - length, length);
    const metadata = json === undefined ? undefined : parseMetadata(json);
    if (metadata?.size !== size - TAIL_BYTES - length) {
      throw new Error(`The stored object ${path} is damaged. Move the file away and start again.`);
    }
    return metadata;
  } finally {
    closeSync(file);
  }
}

function parseMetadata(json: Buffer): ObjectMetadata | undefined {
  try {
    return metadataSchema.parse(JSON.parse(json.toString("utf8")));
  } catch {
    return undefined;
  }
}

function readBytes(file: number, position: number, length: number): Buffer {
  if (position < 0) return Buffer.alloc(0);
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, position));
}
