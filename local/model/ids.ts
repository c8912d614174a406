import { randomUUID } from "node:crypto";

/** An id in the manner of the providers: unique, also in conversations that outlive the server. */
export function wireId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
