import type { ObjectId } from 'mongodb';
import { Answer, type Input } from '../http/operation.ts';
import type { Id } from './extended-json.ts';
import { id, integer, optional } from './parameters.ts';

/** How many things a page of a list has when nobody says otherwise. */
export const defaultLimit = 50;

/** How many things a page is to have. */
export const pageLimit = optional(integer(1, 200));

/** How a list is paged through whose order is that of its ids. */
export const pageParameters = { limit: pageLimit, after: optional(id) };

/** A page to be found: how many things, after which one. */
export type Page<Cursor = ObjectId> = { limit: number; after: Cursor | undefined };

/** How a page is asked for: that and one more, all at once, where databases send 101 things unless told otherwise. */
export const inOneBatch = (limit: number) => ({ limit: limit + 1, batchSize: limit + 1 });

/** A thing of a list, and the cursor that continues after it. */
export type Row<T> = { value: T; cursor: string };

/**
 * Answers a page of at most `limit` things from up to one more than that: the one too many says that there is a next page,
 * whose address (`Link: rel="next"`, RFC 8288) continues after the last thing of this one.
 */
export function answerRows<T>(found: Row<T>[], limit: number, request: Input['request']): T[] | Answer<T[]> {
  const rows = found.slice(0, limit);
  const values = rows.map(({ value }) => value);
  const last = rows.at(-1);
  if (found.length <= limit || last === undefined) return values;
  return withNext(values, request, { after: last.cursor });
}

/** Answers with the address of the next page, which is this one's but for where it lies; without one if there is none. */
export function withNext<T>(value: T, request: Input['request'], next: Record<string, string> | undefined): T | Answer<T> {
  if (!next) return value;
  const { before, after, around, ...others } = request.query as Record<string, string>;
  return new Answer(value, { Link: `<${request.path}?${new URLSearchParams({ ...others, ...next })}>; rel="next"` });
}

/** The same for things whose cursors are their ids. */
export const answerPage = <T extends { _id: Id }>(found: T[], limit: number, request: Input['request']): T[] | Answer<T[]> =>
  answerRows(
    found.map((value) => ({ value, cursor: value._id.$oid })),
    limit,
    request,
  );
