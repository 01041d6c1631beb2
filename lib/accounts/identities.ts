import type { ObjectId } from 'mongodb';
import { users } from '../collections/users.ts';
import { conflict, type Refusal } from '../errors.ts';
import { shownUser, type User } from '../identity/users.ts';
import { leaveGroupRooms } from '../members/group-rooms.ts';
import { endSessions } from './sessions.ts';

const notConnected: Refusal = () =>
  conflict('not_connected', 'No person at the identity provider is connected with the account.');

/**
 * Parts an account from the person at the identity provider who signs in to it, and ends its sessions; 409 where there
 * is none. Another person can be connected then, and the same one gets a new account.
 */
export async function disconnectUser(_id: ObjectId): Promise<User> {
  const parted = await users.findOneAndUpdate(
    { _id, identity: { $exists: true } },
    { $unset: { identity: '' }, $inc: { session_generation: 1 } },
    { returnDocument: 'after' },
  );
  if (!parted) throw notConnected();
  await endSessions(_id, parted.session_generation, undefined);
  // No later sign-in would take them.
  await leaveGroupRooms(_id);
  return shownUser.show(parted);
}
