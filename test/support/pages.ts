import * as z from "zod";
import type { Backend } from "./api.ts";

const Page = z.object({
  data: z.array(z.looseObject({ id: z.string() })),
  next_cursor: z.string().nullable(),
});
export type Page = z.infer<typeof Page>;
export type Listed = Page["data"][number];

/** One page of a list; `query` without the cursor. */
export function pageOf(api: Backend, path: string, query: string, cursor?: string): Promise<Page> {
  const at = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
  return api.expectOk(Page, 200, "GET", `${path}?${query}${at}`);
}

/** Every page of a list from the cursor on, in order. */
export async function pagesOf(
  api: Backend,
  path: string,
  query = "limit=100",
  from?: string | null,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | null | undefined = from; cursor !== null; ) {
    const page: Page = await pageOf(api, path, query, cursor);
    pages.push(page);
    cursor = page.next_cursor;
  }
  return pages;
}

/** Every record of a list from the cursor on, in order. */
export async function listOf(...list: Parameters<typeof pagesOf>): Promise<Listed[]> {
  return (await pagesOf(...list)).flatMap(({ data }) => data);
}

export const idsOf = (records: readonly { readonly id: string }[]): string[] => records.map(({ id }) => id);
