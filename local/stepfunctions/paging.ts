import { ApiError } from "./errors.ts";

/** Makes the opaque token of the page that begins at a number. */
export function writePageToken(position: number): string {
  return Buffer.from(`page:${position}`).toString("base64url");
}

/** The number in a page token; undefined for the first page. @throws ApiError InvalidToken. */
export function readPageToken(token: string | undefined): number | undefined {
  if (token === undefined) return undefined;
  const position = /^page:(\d+)$/.exec(Buffer.from(token, "base64url").toString())?.[1];
  if (position === undefined) throw new ApiError("InvalidToken", "Invalid Token: 'Invalid token'");
  return Number(position);
}
