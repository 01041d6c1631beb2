import type { ListPath, PageOf } from 'chat-service-client';
import type { Operations } from 'chat-service-client/contract';
import { askFully, chat } from '../service/api.ts';
import { nextOf } from './people/members.ts';

/** A page of a list, and the cursor of the next one. */
export type Page<T> = { list: readonly T[]; next: string | undefined };

/** A page with the next one. */
export const appended = <T>({ list }: Page<T>, next: Page<T>): Page<T> => ({ ...next, list: [...list, ...next.list] });

type ItemOf<Path extends ListPath> = PageOf<Path> extends (infer Item)[] ? Item : never;

/** The query of a list without its cursor. Undefined values are left out. */
type QueryOf<Path extends ListPath> = Operations[`GET ${Path}`] extends { query?: infer Query }
  ? { [Name in Exclude<keyof Query, 'after'>]: Query[Name] | undefined }
  : never;

/** The items of a page, unless the query has another limit. */
const limit = 50;

/**
 * The service may return an empty page before others, if it examined many items for few matches. At
 * most this many are skipped.
 */
const mostEmpty = 10;

/**
 * Reads the page of a list after a cursor. Empty pages are skipped, unless the next page with items
 * is too far.
 */
export async function readPage<Path extends ListPath>(
  path: Path,
  query: Partial<QueryOf<Path>>,
  after?: string,
): Promise<Page<ItemOf<Path>>> {
  // TypeScript cannot infer the types of a call with an unknown path.
  const get = chat.GET as unknown as (path: Path, init: object) => Parameters<typeof askFully<ItemOf<Path>[]>>[0];
  let next = after;
  for (let tries = 0; tries < mostEmpty; tries++) {
    const { data, headers } = await askFully(get(path, { params: { query: { limit, ...query, after: next } } }));
    next = nextOf(headers);
    if (data.length > 0 || next === undefined) return { list: data, next };
  }
  return { list: [], next };
}
