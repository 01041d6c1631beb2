import { type Collection, type Document, type Filter, ObjectId, type WithId } from 'mongodb';
import { aloneSince } from './sole-server.ts';

/*
 * A lease: one process at a time does something, and says until when it may, by the clock of the database.
 */

/** The fields of what is leased, besides others: until when, and by whom it was taken last. */
export type Leased = { leased_until: Date; holder?: ObjectId | null };

/** The part of a filter that says that nobody has a lease of at most so many milliseconds. */
function isFree(lease: number) {
  // A lease from a clock that was ahead holds nobody up.
  const isHeld: Document[] = [{ $gt: ['$leased_until', '$$NOW'] }, { $lte: ['$leased_until', { $add: ['$$NOW', lease] }] }];
  const since = aloneSince();
  // The process that took an earlier lease is dead.
  if (since) isHeld.push({ $gte: ['$leased_until', new Date(since.getTime() + lease)] });
  return { $expr: { $not: [{ $and: isHeld }] } };
}

/** The fields of an update, as expressions, that take or renew a lease. */
export const leased = (lease: number) => ({ leased_until: { $add: ['$$NOW', lease] } });

/**
 * Takes the lease on a document, for a holder of its own, and returns the document; null if there is none, or somebody
 * has its lease. Of two who see that it is free, the second finds another holder: some databases that speak MongoDB's
 * protocol do not look at `$expr` again after they have waited for the first.
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
