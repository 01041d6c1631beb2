import { parseId } from '../lib/api/extended-json.ts';
import type { ListPage, Page } from '../lib/api/pages.ts';

/** Lists all items, page by page. */
export async function everyItem<T>(list: (page: Page) => Promise<ListPage<T>>): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const page = await list({ limit: pageSize, after: parseId(next) });
    all.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return all;
}

// Small enough for each database call to be fast.
const pageSize = 200;
