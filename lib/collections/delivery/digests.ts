import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import type { LeaseFields } from './lease-fields.ts';

/** The state of a user's e-mails about unread messages. `_id` is that of the user. */
export type DigestDocument = {
  _id: ObjectId;
  /** The start of the last attempt to send one. The next follows after a day at the earliest. */
  at?: Date;
  /** Messages up to this time were included in an e-mail. */
  until?: Date;
  /** The SHA-256 of the links in the last e-mails. Their only use is to turn the e-mails off. */
  links?: string[];
};

export const digestIndexes: IndexDescription[] = [{ key: { links: 1 }, name: 'links', sparse: true }];

/** The e-mails about unread messages. */
export const digests = collection<DigestDocument>('digests');

/**
 * The progress of a round over all accounts with a confirmed address, and the lease of its process.
 */
export type DigestRoundDocument = LeaseFields & { _id: 'round'; after?: { email: string; user: ObjectId } };

/** The round over all accounts: a single document. */
export const digestRounds = collection<DigestRoundDocument>('digest_rounds');
