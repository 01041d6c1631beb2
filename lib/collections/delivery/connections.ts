import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A connection to a gateway, which outlives the functions that hear of it. */
export type ConnectionDocument = {
  /** The gateway's id of the connection. */
  _id: string;
  user: ObjectId;
  /** The token on whose behalf it was opened. */
  token: ObjectId;
  /** Whether it has said hello, after which it gets news; and whether it wants the events in them. */
  is_greeted: boolean;
  wants_events: boolean;
  /** How much of its rate of frames it has used (GCRA); how many frames in a row were too much, and whether the last one was. */
  free_at: Date;
  excess: number;
  is_excess: boolean;
  /** In which room its user was last shown as typing, and when. */
  typing_in: ObjectId | null;
  typing_at: Date | null;
  /** When it was last heard, by the database's clock, and until when it counts without a word. */
  heard_at: Date;
  expires_at: Date;
};

export const connectionIndexes: IndexDescription[] = [
  { key: { user: 1 }, name: 'user' },
  { key: { token: 1 }, name: 'token' },
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The connections of all users to a gateway; those to a server are in its memory. */
export const connections = collection<ConnectionDocument>('connections');

/** Whether there may be a connection. An expired one counts until it is removed, so that no clock matters. */
export const isAnyoneConnected = async (): Promise<boolean> =>
  (await connections.findOne({ expires_at: { $gt: new Date(0) } }, { projection: { _id: 1 } })) !== null;
