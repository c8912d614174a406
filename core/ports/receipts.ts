import type { Payload } from "../session/payload.ts";
import type { Upload } from "./blobs.ts";

/** Where a receipt lies: with the session whose content its answer has, or by itself. */
export type ReceiptPlace = { readonly sessionId: string | null; readonly id: string };

/** What remains of a request that was sent with an Idempotency-Key: its answer, for as long as the receipt lives. */
export type Receipt = {
  /** Hash of the request's body. */
  readonly request: string;
  readonly status: number;
  /** The answer's body as JSON text: a copy of the value would not have the same bytes. */
  readonly answer: Payload;
};

/** A receipt to write in the transaction that does what the request asks for. */
export type NewReceipt = Receipt & {
  readonly place: ReceiptPlace;
  readonly upload: Upload | null;
  /** Epoch seconds. A receipt that has expired by `at` counts as none. */
  readonly at: number;
  readonly expiresAt: number;
};

/** The place has a receipt already, or another request is about to write one. Nothing was written. */
export class ReceiptConflict extends Error {
  override readonly name = "ReceiptConflict";
}

export type Receipts = {
  /** Strongly consistent. Null also for one that has expired by `at`, in epoch seconds. */
  read(place: ReceiptPlace, at: number): Promise<Receipt | null>;
  /** SHA-256 of the text, in hexadecimal. */
  hash(text: string): string;
};
