import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A server process that uses the database now, possibly beside others. */
type ServerDocument = {
  _id: string;
  /**
   * The server that the process belongs to. The processes of one server notify each other without
   * the database.
   */
  server: string;
  /** When it expires unless it is renewed, by the database's clock. */
  expires_at: Date;
};

export const serverIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/**
 * The server processes that share the database. A server that runs the embedded database is not
 * listed.
 */
export const servers = collection<ServerDocument>('servers');
