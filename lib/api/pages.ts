import type { ObjectId } from 'mongodb';
import { config } from '../settings/config.ts';
import type { Id } from './extended-json.ts';
import { about, id, integer, optional, type Parameter } from './parameters.ts';

const limit = about('The maximum number of items on a page.', integer(1, 200));

/** A number of things on a page, by default `PAGE_SIZE`. */
export const orPageSize = (limit: Parameter<number>) => ({
  ...optional(limit),
  get fallback() {
    return config.pageSize;
  },
});

/** The number of things on a page. */
export const pageLimit = orPageSize(limit);

/** The number of things on a page of a list that has all things unless a page is asked for. */
export const optionalPageLimit = optional(limit);

/** The place after which a page begins, by the cursor of its list. */
export const pageStart = <T>(cursor: Parameter<T>) =>
  about('Return items after this one. `Link` holds the URL of the next page.', optional(cursor));

/** The parameters of a list that is in the order of its ids. */
export const pageParameters = { limit: pageLimit, after: pageStart(id) };

/** The page that is asked for: how many things, after which one. */
export type Page<Cursor = ObjectId> = { limit: number; after?: Cursor | undefined };

/**
 * The options of a read of a page: one thing more than the page has, which shows whether there is a next page, and
 * all of them in the first batch, where databases send 101 unless they are told otherwise.
 */
export const withOneMore = (limit: number) => ({ limit: limit + 1, batchSize: limit + 1 });

/** A page of a list, and the cursor with which the next page begins, if there is one. */
export type ListPage<T> = { items: T[]; next: string | undefined };

/** Makes a page from what was read with one more than it has. */
export function pageOf<Found, T>(
  found: Found[],
  limit: number,
  show: (found: Found, at: number) => T,
  cursorOf: (last: Found) => string,
): ListPage<T> {
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return { items: page.map(show), next: found.length > limit && last !== undefined ? cursorOf(last) : undefined };
}

/** Makes a page of a list that is in the order of its ids. */
export const pageById = <Found extends { _id: ObjectId }, T extends { _id: Id }>(
  found: Found[],
  limit: number,
  show: (found: Found) => T,
): ListPage<T> => pageOf(found, limit, show, ({ _id }) => _id.toHexString());
