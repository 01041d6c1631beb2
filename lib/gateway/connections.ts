import type { ObjectId } from 'mongodb';
import { unexpiredWithin } from '../collections/accounts/tokens.ts';
import { type ConnectionDocument, connections } from '../collections/delivery/connections.ts';
import { retryContended } from '../database/engines.ts';
import type { Caller } from '../identity/caller.ts';
import { carrier } from '../notices/carrier.ts';
import { encode } from '../push/encode.ts';
import { type Farewell, farewells, socketLimits } from '../push/frames.ts';
import { tooManyConnections } from '../push/open.ts';

/*
 * Connections to a gateway. The gateway ends connections after ten minutes of silence, and does not
 * always report it. So a connection that was silent for longer does not count.
 */

/** For how many milliseconds a connection counts after its last frame. */
const silenceMs = 11 * 60_000;

const { framesPerMinute } = socketLimits;
const interval = 60_000 / framesPerMinute;

/**
 * Stores a connection that is being opened; 429 if the user has too many. Of several concurrent
 * ones, more may be refused than necessary.
 */
export async function addConnection(id: string, { user, token }: Caller): Promise<void> {
  const owner = { user: user._id, token: token._id };
  const nothingYet = { is_greeted: false, wants_events: true, excess: 0, is_excess: false, typing_in: null, typing_at: null };
  const times = { free_at: '$$NOW', heard_at: '$$NOW', expires_at: { $add: ['$$NOW', silenceMs] } };
  await connections.updateOne({ _id: id }, [{ $set: { ...owner, ...nothingYet, ...times } }], { upsert: true });
  // Counted after it is stored: of any eleven, the last to be stored sees the other ten.
  const others = await connections
    .find(
      { user: user._id, _id: { $ne: id }, ...unexpiredWithin(silenceMs) },
      { projection: { _id: 1 }, limit: socketLimits.perUser },
    )
    .toArray();
  if (others.length < socketLimits.perUser) return;
  await removeConnection(id);
  throw tooManyConnections();
}

/**
 * Counts a frame from a connection, and marks the connection if the frame exceeds the rate. Returns
 * null if the connection is unknown or has ended.
 */
export const hearConnection = (id: string): Promise<ConnectionDocument | null> =>
  retryContended(() => connections.findOneAndUpdate({ _id: id }, countFrame, { returnDocument: 'after' }));

const later = { $add: ['$free_at', interval] };
const countFrame = [
  {
    $set: {
      heard_at: '$$NOW',
      expires_at: { $add: ['$$NOW', silenceMs] },
      // Limited to the largest regular value, in case the clock was ahead.
      free_at: { $min: [{ $max: ['$free_at', '$$NOW'] }, { $add: ['$$NOW', 60_000] }] },
    },
  },
  { $set: { is_excess: { $gt: [later, { $add: ['$heard_at', 60_000] }] } } },
  {
    $set: {
      free_at: { $cond: ['$is_excess', '$free_at', later] },
      excess: {
        $cond: [
          '$is_excess',
          { $add: ['$excess', 1] },
          { $cond: [{ $lt: ['$free_at', { $add: ['$heard_at', 30_000] }] }, 0, '$excess'] },
        ],
      },
    },
  },
];

/** Makes a connection receive frames about changes; returns false if it has ended. */
export async function greetConnection(id: string, wants_events: boolean): Promise<boolean> {
  const { matchedCount } = await connections.updateOne({ _id: id }, { $set: { is_greeted: true, wants_events } });
  return matchedCount > 0;
}

/**
 * Returns true if the user of a connection should be shown as typing in a room. It limits the
 * frequency, and shows concurrent frames once.
 */
export async function mayType({ _id, typing_in, typing_at, heard_at }: ConnectionDocument, room: ObjectId): Promise<boolean> {
  const isEarly = typing_at && Math.abs(heard_at.getTime() - typing_at.getTime()) < socketLimits.typingEvery * 1_000;
  if (isEarly && typing_in?.equals(room)) return false;
  const typing = { $set: { typing_in: room, typing_at: heard_at } };
  return (await connections.updateOne({ _id, typing_at }, typing)).matchedCount > 0;
}

/** Deletes a connection that has ended. */
export const removeConnection = async (id: string): Promise<void> => void (await connections.deleteOne({ _id: id }));

/** Sends the reason why a connection ends, which the gateway cannot send, and ends it. */
export async function endConnection(id: string, reason: Farewell): Promise<void> {
  const { code, ...farewell } = farewells[reason];
  await carrier?.post(id, encode({ type: 'bye', code, reason, ...farewell }));
  await Promise.all([carrier?.close(id), removeConnection(id)]);
}

/** A connection that receives frames about changes. */
export type Recipient = Pick<ConnectionDocument, '_id' | 'user' | 'token' | 'wants_events'>;

/** The greeted connections of these users, or of this token. */
export const findRecipients = (of: { users: ObjectId[] } | { token: ObjectId }): Promise<Recipient[]> =>
  connections
    .find(
      { ...('users' in of ? { user: { $in: of.users } } : of), is_greeted: true },
      { projection: { user: 1, token: 1, wants_events: 1 } },
    )
    .toArray();
