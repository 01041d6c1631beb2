import { type Collection, type Document, type Filter, ObjectId, type WithId } from 'mongodb';
import { aloneSince } from './sole-server.ts';

/* A lease lets one process at a time do something, until a time on the database's clock. */

/** The fields of a leased document: the end of the lease, and its last holder. */
export type Leased = { leased_until: Date; holder?: ObjectId | null };

/**
 * The part of a filter that requires that nobody holds a lease. `lease` is the longest duration, in
 * milliseconds.
 */
function isFree(lease: number) {
  // A lease that ends too late was written by a clock that was ahead: ignore it.
  const isHeld: Document[] = [{ $gt: ['$leased_until', '$$NOW'] }, { $lte: ['$leased_until', { $add: ['$$NOW', lease] }] }];
  const since = aloneSince();
  // A lease from before this server started: its process is dead.
  if (since) isHeld.push({ $gte: ['$leased_until', new Date(since.getTime() + lease)] });
  return { $expr: { $not: [{ $and: isHeld }] } };
}

/** The fields of a pipeline update that take or renew a lease of so many milliseconds. */
export const leased = (lease: number) => ({ leased_until: { $add: ['$$NOW', lease] } });

/**
 * Takes the lease on a document with a new holder id, and returns the document. Returns null if no
 * document matches, or if somebody else has the lease.
 *
 * The filter includes the last holder, so that only one of two concurrent callers succeeds. `$expr`
 * alone does not ensure that: some databases with MongoDB's protocol do not evaluate it again after
 * they waited for another write.
 */
export async function takeLease<T extends Document & Leased>(
  of: Collection<T>,
  filter: Filter<T>,
  lease: number,
): Promise<(WithId<T> & { holder: ObjectId }) | null> {
  const free = { ...filter, ...isFree(lease) } as Filter<T>;
  const found = await of.findOne<Leased>(free, { projection: { holder: 1 } });
  if (!found) return null;
  const unchanged = { ...free, holder: found.holder ?? null } as Filter<T>;
  const set = { ...leased(lease), holder: new ObjectId() };
  return (await of.findOneAndUpdate(unchanged, [{ $set: set }], { returnDocument: 'after' })) as
    | (WithId<T> & { holder: ObjectId })
    | null;
}
