import { askFully } from '../service/api.ts';
import { nextOf } from './people/members.ts';

/** A page of a list, and where the next one begins. */
export type Page<T> = { list: readonly T[]; next: string | undefined };

type Call = Parameters<typeof askFully>[0];

/**
 * A page of the service's may be empty although more follow, where it has looked at many for a few:
 * so many are read on.
 */
const mostEmpty = 10;

/** Reads a page that is not empty, if there is one within reach. */
export async function readPage<T>(call: (after: string | undefined) => Call, after?: string): Promise<Page<T>> {
  let next = after;
  for (let tries = 0; tries < mostEmpty; tries++) {
    const { data, headers } = await askFully(call(next));
    next = nextOf(headers);
    if ((data as T[]).length > 0 || next === undefined) return { list: data as T[], next };
  }
  return { list: [], next };
}
