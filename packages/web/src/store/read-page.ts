import { askFully } from '../service/api.ts';
import { nextOf } from './people/members.ts';

/** A page of a list, and the cursor of the next one. */
export type Page<T> = { list: readonly T[]; next: string | undefined };

type Call = Parameters<typeof askFully>[0];

/**
 * The service may return an empty page before others, if it examined many items for few matches. At
 * most this many are skipped.
 */
const mostEmpty = 10;

/** Reads the next page that is not empty, if it is within reach. */
export async function readPage<T>(call: (after: string | undefined) => Call, after?: string): Promise<Page<T>> {
  let next = after;
  for (let tries = 0; tries < mostEmpty; tries++) {
    const { data, headers } = await askFully(call(next));
    next = nextOf(headers);
    if ((data as T[]).length > 0 || next === undefined) return { list: data as T[], next };
  }
  return { list: [], next };
}
