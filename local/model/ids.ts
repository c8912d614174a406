import { createHash, randomUUID } from "node:crypto";

/** An id in the manner of the providers: unique, also in conversations that outlive the server. */
export function wireId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** Stands for a provider's signature or encryption: tells whether reasoning comes back as it was sent. */
export function seal(text: string): string {
  return createHash("sha256").update(`reasoning:${text}`).digest("base64");
}
