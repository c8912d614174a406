import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageBytes, weigh } from "../../contract/answer-size.ts";
import { decodeCursor, positions } from "../../core/api/cursor.ts";
import { ApiError } from "../../core/api/error.ts";
import { pageOf } from "../../core/api/page.ts";

const scope = { operation: "get_sessions_session_id_inputs", of: "ses_1" };

/** A record: its place, and a text of its size; one without a text is gone. */
type Item = { readonly place: number; readonly text: string | null };
const view = {
  place: ({ place }: Item) => String(place),
  present: (items: readonly Item[]) =>
    items.map(({ place, text }) => (text === null ? null : { place, text })),
};

/** One page of a list, behind the cursor. */
function read(all: readonly Item[], limit: number, cursor: string | null) {
  const after = Number(decodeCursor(scope, cursor ?? undefined, positions.sequence) ?? -1);
  const rest = all.filter(({ place }) => place > after);
  return pageOf(scope, { items: rest.slice(0, limit), more: rest.length > limit }, view);
}

async function readAll(all: readonly Item[], limit: number) {
  const pages: Awaited<ReturnType<typeof read>>[] = [];
  for (let cursor: string | null | undefined = null; cursor !== undefined; ) {
    const page = await read(all, limit, cursor);
    pages.push(page);
    cursor = page.next_cursor ?? undefined;
  }
  return pages;
}

const texts = new Map<number, string>();
const text = (length: number): string => {
  const made = texts.get(length) ?? "x".repeat(length);
  texts.set(length, made);
  return made;
};

describe("the pages of a list", () => {
  it("hold every record once, in order, and none is more than an answer carries", async () => {
    const length = fc.constantFrom(null, 0, 10, 1_000_000, 2_500_000, 4_000_000, pageBytes - 100);
    const lists = fc.array(length, { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 100 }), async (lengths, limit) => {
        const all = lengths.map((one, place): Item => ({ place, text: one === null ? null : text(one) }));
        const pages = await readAll(all, limit);
        const kept = all.filter((item) => item.text !== null).map(({ place }) => place);
        expect(pages.flatMap(({ data }) => data.map(({ place }) => place))).toEqual(kept);
        for (const { data } of pages) {
          expect(data.length).toBeLessThanOrEqual(limit);
          expect(weigh(data)).toBeLessThanOrEqual(pageBytes + "[]".length);
        }
      }),
      { numRuns: 12, interruptAfterTimeLimit: 10_000 },
    );
  });

  it("are as long as was asked for where that fits", async () => {
    const all = Array.from({ length: 250 }, (_, place): Item => ({ place, text: "a" }));
    const pages = await readAll(all, 100);
    expect(pages.map(({ data }) => data.length)).toEqual([100, 100, 50]);
    // A cursor only where the list goes on.
    expect(pages.map(({ next_cursor }) => next_cursor === null)).toEqual([false, false, true]);
  });

  it("are read in two goes where records are small, and not far beyond what fits where they are large", async () => {
    for (const [length, goes] of [
      [10, [20, 80]],
      [250_000, [20, 5]],
    ] as const) {
      const all = Array.from({ length: 100 }, (_, place): Item => ({ place, text: text(length) }));
      const batches: number[] = [];
      const present = (items: readonly Item[]) => {
        batches.push(items.length);
        return view.present(items);
      };
      await pageOf(scope, { items: all, more: false }, { ...view, present });
      expect(batches.slice(0, 2)).toEqual(goes);
    }
  });

  it("name the way past a record that no answer carries", async () => {
    const all = [0, 1, 2].map((place): Item => ({ place, text: place === 1 ? text(pageBytes) : "a" }));
    const first = await read(all, 3, null);
    expect(first.data.map(({ place }) => place)).toEqual([0]);
    const refusal = await read(all, 3, first.next_cursor).catch((error: unknown) => error);
    if (!(refusal instanceof ApiError)) throw new Error("the page was not refused");
    expect(refusal.code).toBe("internal_error");
    const [, cursor = ""] = /cursor=([\w-]+)/.exec(refusal.message) ?? [];
    expect((await read(all, 3, cursor)).data.map(({ place }) => place)).toEqual([2]);
  });
});
