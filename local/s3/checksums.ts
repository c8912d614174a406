import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

/** A running checksum; `value` is what S3 puts into `x-amz-checksum-*` (base64). */
export type Checksum = { update(chunk: Uint8Array): void; value(): string };

const HASHES = new Set(["sha1", "sha256", "sha512", "md5"]);
const BYTES: Readonly<Record<string, number>> = {
  crc32: 4,
  crc32c: 4,
  crc64nvme: 8,
  sha1: 20,
  sha256: 32,
  sha512: 64,
  md5: 16,
};

/** True for the algorithms that this endpoint can check, by their name in `x-amz-checksum-NAME`. */
export function isKnownChecksum(algorithm: string): boolean {
  return Object.hasOwn(BYTES, algorithm);
}

/** True when `value` is base64 of as many bytes as the algorithm gives. */
export function isChecksumValue(algorithm: string, value: string): boolean {
  const bytes = Buffer.from(value, "base64");
  return bytes.length === BYTES[algorithm] && bytes.toString("base64") === value;
}

/** Starts a checksum. `algorithm` must be known (see `isKnownChecksum`). */
export function startChecksum(algorithm: string): Checksum {
  if (HASHES.has(algorithm)) {
    const hash = createHash(algorithm);
    return { update: (chunk) => void hash.update(chunk), value: () => hash.digest("base64") };
  }
  if (algorithm === "crc32") return startCrc32();
  if (algorithm === "crc32c") return startTableCrc(CRC32C, 4);
  return startTableCrc(CRC64NVME, 8);
}

function startCrc32(): Checksum {
  let state = 0;
  return {
    update(chunk) {
      state = crc32(chunk, state);
    },
    value: () => toBase64(state, 0, 4),
  };
}

/** A reflected CRC in two 32-bit halves; a 32-bit one leaves `high` at zero. */
type CrcTable = { readonly low: Uint32Array; readonly high: Uint32Array };

const CRC32C = makeTable(0x82f63b78, 0, 4);
const CRC64NVME = makeTable(0xac4bc9b5, 0x9a6c9329, 8);

function makeTable(polynomialLow: number, polynomialHigh: number, bytes: number): CrcTable {
  const low = new Uint32Array(256);
  const high = new Uint32Array(256);
  for (let index = 0; index < 256; index++) {
    let l = index;
    let h = 0;
    for (let bit = 0; bit < 8; bit++) {
      const odd = l & 1;
      l = (l >>> 1) | (bytes === 8 ? h << 31 : 0);
      h >>>= 1;
      if (odd) {
        l ^= polynomialLow;
        h ^= polynomialHigh;
      }
    }
    low[index] = l;
    high[index] = h;
  }
  return { low, high };
}

function startTableCrc(table: CrcTable, bytes: 4 | 8): Checksum {
  let low = -1;
  let high = bytes === 8 ? -1 : 0;
  return {
    update(chunk) {
      for (const byte of chunk) {
        const index = (low ^ byte) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (table.low[index] ?? 0);
        high = (high >>> 8) ^ (table.high[index] ?? 0);
      }
    },
    value: () => toBase64(~low, ~high, bytes),
  };
}

function toBase64(low: number, high: number, bytes: 4 | 8): string {
  const buffer = Buffer.alloc(8);
  buffer.writeUInt32BE(high >>> 0, 0);
  buffer.writeUInt32BE(low >>> 0, 4);
  return buffer.subarray(8 - bytes).toString("base64");
}
