import { pageBytes, weigh } from "../../contract/answer-size.ts";
import type { Page } from "../ports/store.ts";
import { type CursorScope, encodeCursor } from "./cursor.ts";
import { ApiError } from "./error.ts";

/** How a list shows its records. */
export type View<T, R> = {
  /** Where a record stands: what a cursor that goes on behind it holds. */
  readonly place: (item: T) => string;
  /** One for one; null for a record that is gone. */
  readonly present: (items: readonly T[]) => Promise<readonly (R | null)[]> | readonly (R | null)[];
};

type Shown<R> = { readonly data: readonly R[]; readonly next_cursor: string | null };

/** As many as a usual page has are read first, and then as many as will fit if they go on like this. */
const AT_FIRST = 20;

/**
 * A page of a list: as many of the records as an answer can carry, and a cursor where that was not the end. Throws
 * `internal_error` for a record that alone is too large, with the way past it.
 */
export async function pageOf<T, R>(
  scope: CursorScope,
  { items, more }: Page<T>,
  { place, present }: View<T, R>,
): Promise<Shown<R>> {
  const data: R[] = [];
  let last: T | null = null;
  let room = pageBytes;
  const until = (item: T | null) => ({
    data,
    next_cursor: item === null ? null : encodeCursor(scope, place(item)),
  });
  for (let read = 0; read < items.length; ) {
    const batch = items.slice(read, read + likelyToFit(read, room));
    const shown = await present(batch);
    for (const [at, item] of batch.entries()) {
      const record = shown[at] ?? null;
      room -= record === null ? 0 : weigh(record) + ",".length;
      if (room < 0 && data.length > 0) return until(last);
      if (room < 0) throw tooLarge(encodeCursor(scope, place(item)));
      if (record !== null) data.push(record);
      last = item;
    }
    read += batch.length;
  }
  return until(more ? last : null);
}

const likelyToFit = (read: number, room: number): number =>
  read === 0 ? AT_FIRST : Math.max(1, Math.floor((read * room) / Math.max(1, pageBytes - room)));

const tooLarge = (cursor: string): ApiError =>
  new ApiError(
    "internal_error",
    `The next record is larger than an answer may be. Go on behind it with cursor=${cursor}; a session's stream has all of it.`,
  );
