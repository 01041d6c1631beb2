import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A text that an agent has sent without a key, for a minute. */
export type SentTextDocument = {
  /** The SHA-256 of the token, the place and the text, in hexadecimal. */
  _id: string;
  /** The idempotency key of the message. */
  key: string;
  /** When it was sent first, by the database's clock. */
  at: Date;
  expires_at: Date;
};

export const sentTextIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The texts that agents have sent lately without keys. */
export const sentTexts = collection<SentTextDocument>('sent_texts');
