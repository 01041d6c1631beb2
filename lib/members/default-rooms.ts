import type { ObjectId } from 'mongodb';
import { describeError, log } from '../base/log.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { createDefaultRoom } from '../rooms/rooms.ts';
import { joinInvited } from './join.ts';

/** A new account joins at most this many default rooms, the oldest ones first. */
const mostRooms = 20;

/** Adds a new account to the default rooms. The account remains if that fails. */
export async function joinDefaultRooms(user: ObjectId): Promise<void> {
  try {
    const options = { projection: { _id: 1 as const }, sort: { _id: 1 as const }, limit: mostRooms };
    const found = await rooms.find({ is_default: true }, options).toArray();
    await Promise.all(found.map(({ _id }) => joinInvited(_id, user)));
  } catch (error) {
    log('error', 'a new account did not join the rooms that everyone joins', { error: describeError(error) });
  }
}

/** Creates the default room if the service does not have a room yet. */
export async function createFirstRoom(creator: ObjectId): Promise<void> {
  if ((await rooms.unscoped.findOne({}, { projection: { _id: 1 } })) === null) await createDefaultRoom('General', creator);
}
