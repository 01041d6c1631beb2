import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A connection to a gateway. It outlives the functions that handle its frames. */
export type ConnectionDocument = {
  /** The gateway's id of the connection. */
  _id: string;
  user: ObjectId;
  /** The token that opened it. */
  token: ObjectId;
  /**
   * `is_greeted`: it has sent hello, and gets frames since then. `wants_events`: its frames include
   * events.
   */
  is_greeted: boolean;
  wants_events: boolean;
  /**
   * The used part of its frame rate (GCRA), the number of excess frames in a row, and whether the
   * last frame was one.
   */
  free_at: Date;
  excess: number;
  is_excess: boolean;
  /** The room where its user was last shown as typing, and when. */
  typing_in: ObjectId | null;
  typing_at: Date | null;
  /** When its last frame arrived, by the database's clock, and when it expires without another. */
  heard_at: Date;
  expires_at: Date;
};

export const connectionIndexes: IndexDescription[] = [
  { key: { user: 1 }, name: 'user' },
  { key: { token: 1 }, name: 'token' },
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The connections to a gateway. Connections to a server are in the server's memory. */
export const connections = collection<ConnectionDocument>('connections');

/**
 * Returns true if there may be a connection. Expired ones count until they are removed, so that
 * clocks do not matter.
 */
export const isAnyoneConnected = async (): Promise<boolean> =>
  (await connections.findOne({ expires_at: { $gt: new Date(0) } }, { projection: { _id: 1 } })) !== null;
