import {
  type Collection,
  type Document,
  type Filter,
  ObjectId,
  type OptionalUnlessRequiredId,
  type UpdateFilter,
  type WithId,
} from 'mongodb';
import { aloneSince } from '../base/sole-server.ts';
import type { LeaseFields } from '../collections/delivery/lease-fields.ts';
import { insertUnlessStored } from '../database/writes.ts';

/* A lease lets one process at a time do something, until a time on the database's clock. */

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
const leased = (lease: number) => ({ leased_until: { $add: ['$$NOW', lease] } });

/**
 * Takes the lease on a document with a new holder id, and returns the document. Returns null if no
 * document matches, or if somebody else has the lease.
 *
 * The filter includes the last holder, so that only one of two concurrent callers succeeds. `$expr`
 * alone does not ensure that: DocumentDB does not evaluate it again after a wait for another write.
 */
export async function takeLease<T extends Document & LeaseFields>(
  of: Collection<T>,
  filter: Filter<T>,
  lease: number,
): Promise<(WithId<T> & { holder: ObjectId }) | null> {
  const free = { ...filter, ...isFree(lease) } as Filter<T>;
  const found = await of.findOne<LeaseFields>(free, { projection: { holder: 1 } });
  if (!found) return null;
  const unchanged = { ...free, holder: found.holder ?? null } as Filter<T>;
  const set = { ...leased(lease), holder: new ObjectId() };
  return (await of.findOneAndUpdate(unchanged, [{ $set: set }], { returnDocument: 'after' })) as
    | (WithId<T> & { holder: ObjectId })
    | null;
}

/** A lease that this process holds on a document. */
export type Held<T> = {
  document: WithId<T> & { holder: ObjectId };
  /** Changes the document. Returns false if the lease has expired and another process has it. */
  update: (change: UpdateFilter<T>) => Promise<boolean>;
};

type LeaseOptions<T> = {
  leaseMs: number;
  /** Creates the document that is leased for the first time. */
  create: () => Promise<OptionalUnlessRequiredId<T>> | OptionalUnlessRequiredId<T>;
  /** Renews the lease while the work lasts. */
  isRenewed?: true;
};

/**
 * Does work while this process holds the lease on the document of a filter with its `_id`. The work
 * releases the lease by its last update, `released`. Returns undefined if the document does not
 * match, or if another process has the lease.
 */
export async function withLease<T extends Document & LeaseFields, R>(
  of: Collection<T>,
  filter: Filter<T> & { _id: unknown },
  { leaseMs, create, isRenewed }: LeaseOptions<T>,
  work: (held: Held<T>) => Promise<R>,
): Promise<R | undefined> {
  const take = () => takeLease(of, filter, leaseMs);
  const _id = { _id: filter._id } as Filter<T>;
  let document = await take();
  if (!document) {
    if (await of.findOne(_id, { projection: { _id: 1 } })) return undefined;
    await insertUnlessStored(of, await create());
    document = await take();
  }
  if (!document) return undefined;
  const own = { ..._id, holder: document.holder } as Filter<T>;
  const renew = () => of.updateOne(own, [{ $set: leased(leaseMs) }]).catch(() => undefined);
  const renewing = isRenewed && setInterval(renew, leaseMs / 3);
  try {
    return await work({ document, update: async (change) => (await of.updateOne(own, change)).matchedCount > 0 });
  } finally {
    clearInterval(renewing);
  }
}
