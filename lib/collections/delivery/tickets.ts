import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A one-time ticket that opens a connection for a token within half a minute. */
type TicketDocument = {
  /** The SHA-256 of the ticket, in hexadecimal. */
  _id: string;
  /** The token that asked for it. */
  token: ObjectId;
  expires_at: Date;
};

export const ticketIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The unused tickets. */
export const tickets = collection<TicketDocument>('tickets');
