import type { IndexDescription, ObjectId } from 'mongodb';
import type { Leased } from '../../base/lease.ts';
import { collection } from '../../database/bounded.ts';

/** The e-mails about what is unread that a user gets, by the user's `_id`. */
export type DigestDocument = {
  _id: ObjectId;
  /** When the last one was sent, or was about to be: no other one is for a day. */
  at?: Date;
  /** Up to when messages are told of. */
  until?: Date;
  /** The SHA-256 of the links in the last e-mails, by which their receiver ends them; they are good for nothing else. */
  links?: string[];
};

export const digestIndexes: IndexDescription[] = [{ key: { links: 1 }, name: 'links', sparse: true }];

/** The e-mails about what is unread. */
export const digests = collection<DigestDocument>('digests');

/** How far a round over all accounts with a confirmed address has come, and until when a process is at it. */
type DigestRoundDocument = Leased & { _id: 'round'; after?: { email: string; user: ObjectId } };

/** The round over all accounts; there is one. */
export const digestRounds = collection<DigestRoundDocument>('digest_rounds');
