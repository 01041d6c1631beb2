import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** Notices from a server to the others that share its database, kept for a minute. */
type ServerNoticesDocument = {
  _id: ObjectId;
  /** The server that sent them. */
  server: string;
  /** The notices: a JSON array. */
  notices: string;
  /**
   * A fixed time after the insertion, by the database's clock. So it also gives the reading order.
   */
  expires_at: Date;
};

export const serverNoticesIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The notices between servers, in addition to the stored data. */
export const serverNotices = collection<ServerNoticesDocument>('server_notices');
