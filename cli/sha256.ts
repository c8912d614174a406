import { createHash, createHmac } from "node:crypto";

type Data = string | ArrayBuffer | ArrayBufferView;

/** SHA-256, or HMAC with it where there is a secret, as the signer of AWS requests asks for it. */
export class Sha256 {
  private readonly hash;

  constructor(secret?: Data) {
    this.hash = secret === undefined ? createHash("sha256") : createHmac("sha256", bytes(secret));
  }

  update(data: Data): void {
    this.hash.update(bytes(data));
  }

  reset(): void {
    throw new Error("a hash is used once");
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

function bytes(data: Data): string | Uint8Array {
  if (typeof data === "string") return data;
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(data);
}
