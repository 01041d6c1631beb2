import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A process of a server that uses the database now, as it may do with others. */
type ServerDocument = {
  _id: string;
  /** The server: its workers tell each other by themselves. */
  server: string;
  /** Until when it counts without another word, by the database's clock. */
  expires_at: Date;
};

export const serverIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The processes of servers that share the database; a server with the embedded one within itself is not among them. */
export const servers = collection<ServerDocument>('servers');
