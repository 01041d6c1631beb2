import type { ObjectId } from 'mongodb';

/** The fields of a leased document: the end of the lease, and its last holder. */
export type LeaseFields = { leased_until: Date; holder?: ObjectId | null };
