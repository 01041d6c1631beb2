import type { ObjectId } from 'mongodb';
import { config } from '../settings/config.ts';
import type { Id } from './extended-json.ts';
import { about, id, integer, optional, type Parameter } from './parameters.ts';

const limit = about('The maximum number of items on a page.', integer(1, 200));

/** A page size, by default `PAGE_SIZE`. */
export const orPageSize = (limit: Parameter<number>) => ({
  ...optional(limit),
  get fallback() {
    return config.pageSize;
  },
});

/** The page size of a list that is always paged. */
export const pageLimit = orPageSize(limit);

/** The page size of a list that returns everything unless a page is requested. */
export const optionalPageLimit = optional(limit);

/** The cursor after which a page begins. */
export const pageStart = <T>(cursor: Parameter<T>) =>
  about('Return items after this one. `Link` holds the URL of the next page.', optional(cursor));

/** The parameters of a list that is sorted by id. */
export const pageParameters = { limit: pageLimit, after: pageStart(id) };

/** A requested page: its size, and the cursor to start after. */
export type Page<Cursor = ObjectId> = { limit: number; after?: Cursor | undefined };

/**
 * The options to read a page: one item more than the page has, which shows if a next page exists.
 * All are in the first batch, which is 101 documents by default.
 */
export const withOneMore = (limit: number) => ({ limit: limit + 1, batchSize: limit + 1 });

/** A page of a list, and the cursor of the next page if there is one. */
export type ListPage<T> = { items: T[]; next: string | undefined };

/** Makes a page from a result that was read with `withOneMore`. */
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

/** Makes a page of a list that is sorted by id. */
export const pageById = <Found extends { _id: ObjectId }, T extends { _id: Id }>(
  found: Found[],
  limit: number,
  show: (found: Found) => T,
): ListPage<T> => pageOf(found, limit, show, ({ _id }) => _id.toHexString());
