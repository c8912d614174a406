import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import * as z from "zod";

const ALGORITHM = "aes-256-gcm";

/** A sealed secret as it is stored: `key` is the wrapped data key, absent where the key itself sealed it. */
export const Sealed = z.strictObject({
  v: z.literal(1),
  key: z.string().optional(),
  iv: z.string(),
  tag: z.string(),
  text: z.string(),
});
export type Sealed = z.infer<typeof Sealed>;

export type Context = Readonly<Record<string, string>>;

export function sealWith(key: Uint8Array, secret: string, context: Context): Omit<Sealed, "key"> {
  const iv = randomBytes(12);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(bound(context));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return { v: 1, iv: base64(iv), tag: base64(cipher.getAuthTag()), text: base64(text) };
}

/** Throws when the key, the context or the text is not the one that was sealed. */
export function openWith(key: Uint8Array, sealed: Sealed, context: Context): string {
  const decipher = createDecipheriv(ALGORITHM, key, bytes(sealed.iv)).setAAD(bound(context));
  decipher.setAuthTag(bytes(sealed.tag));
  return Buffer.concat([decipher.update(bytes(sealed.text)), decipher.final()]).toString("utf8");
}

const bound = (context: Context): Buffer => Buffer.from(JSON.stringify(Object.entries(context).sort()));
const base64 = (data: Uint8Array): string => Buffer.from(data).toString("base64url");
const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

export const parseSealed = (text: string): Sealed => Sealed.parse(JSON.parse(text));
