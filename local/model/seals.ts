/**
 * Stands for a provider's encryption of reasoning: tells whether it comes back as it was sent.
 */
import { createHash } from "node:crypto";

export type Seals = {
  /** Seals the reasoning of the item `id`, or of a block, which has none. */
  seal(text: string, id?: string): string;
  /** Whether `sealed` is a seal of this `id` that is still accepted. */
  accepts(sealed: string, id?: string): boolean;
  /** Whether `sealed` was made of this very text. */
  holds(sealed: string, text: string): boolean;
  /** From now on no earlier seal is accepted, as after a change of the provider's keys. */
  rotate(): void;
};

function digest(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64");
}

/** Seals by the same first key as every other server: conversations outlive a server. */
export function createSeals(): Seals {
  let key = 0;
  const proof = (content: string, id: string) => `${content}.${digest("seal", key, id, content)}`;
  return {
    seal: (text, id = "") => proof(digest("reasoning", text), id),
    accepts: (sealed, id = "") => sealed === proof(sealed.split(".")[0] ?? "", id),
    holds: (sealed, text) => sealed.startsWith(`${digest("reasoning", text)}.`),
    rotate() {
      key += 1;
    },
  };
}
