import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** The notices of a server to the others that share its database, kept for a minute. */
type ServerNoticesDocument = {
  _id: ObjectId;
  /** The server that tells it. */
  server: string;
  /** JSON of the notices: an array. */
  notices: string;
  /** A fixed time after it was stored, by the database's clock: so it is the order in which they are read, as well. */
  expires_at: Date;
};

export const serverNoticesIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The notices of servers to each other, besides the data that is stored in any case. */
export const serverNotices = collection<ServerNoticesDocument>('server_notices');
