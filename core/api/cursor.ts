import * as z from "zod";
import { ApiError } from "./error.ts";

/** What a cursor is good for: one endpoint of one resource, with the same filters. */
export type CursorScope = {
  readonly operation: string;
  readonly of?: string;
  readonly filter?: string | undefined;
};

const Cursor = z.strictObject({ o: z.string(), r: z.string(), f: z.string(), k: z.string() });

/** An opaque cursor that continues after `position`, the place of a page's last record. */
export function encodeCursor(scope: CursorScope, position: string): string {
  const json = JSON.stringify({ o: scope.operation, r: scope.of ?? "", f: scope.filter ?? "", k: position });
  const bytes = new TextEncoder().encode(json);
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** The position in a cursor, null without one. Throws `invalid_cursor` for one that was not made for the scope. */
export function decodeCursor(
  scope: CursorScope,
  cursor: string | undefined,
  position: RegExp,
): string | null {
  if (cursor === undefined) return null;
  const parsed = Cursor.safeParse(decode(cursor));
  const fits =
    parsed.success &&
    parsed.data.o === scope.operation &&
    parsed.data.r === (scope.of ?? "") &&
    parsed.data.f === (scope.filter ?? "") &&
    position.test(parsed.data.k);
  if (!fits) throw new ApiError("invalid_cursor");
  return parsed.data.k;
}

function decode(cursor: string): unknown {
  try {
    const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

/** Positions that cursors hold. */
export const positions = { id: /^[a-z]{1,8}_[A-Za-z0-9]{1,64}$/, sequence: /^\d{1,10}$/ } as const;
