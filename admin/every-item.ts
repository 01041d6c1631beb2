import { parseId } from '../lib/api/extended-json.ts';
import type { Listed, Page } from '../lib/api/pages.ts';

/** All things of a list, which is read page by page. */
export async function everyItem<T>(list: (page: Page) => Promise<Listed<T>>): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const page = await list({ limit: pageSize, after: parseId(next) });
    all.push(...page.items);
    next = page.next;
  } while (next !== undefined);
  return all;
}

// How many things are read per database call: far fewer than make one take too long.
const pageSize = 200;
