import { ObjectId } from 'mongodb';
import type { CreationResult, IdempotencyKey } from '../api/idempotency.ts';
import { optional, type Values } from '../api/parameters.ts';
import { adminRequired, tooManyRequests } from '../base/errors.ts';
import { loginLimits } from '../collections/accounts/login-limits.ts';
import { type Caller, isAdmin } from '../identity/caller.ts';
import { failClosed, keyOf, minute, takeSlot } from '../identity/slots.ts';
import { roomTopic } from '../rooms/details.ts';
import { createRoom, isOpen, isVisible, type Room, roomName } from '../rooms/rooms.ts';
import { config } from '../settings/config.ts';
import { countRooms, tooManyRooms } from './join-rules.ts';

/** The parameters of a new room of any kind. Without the flags, everyone can find and join it. */
export const newRoomParameters = {
  name: roomName,
  topic: optional(roomTopic),
  is_open: optional(isOpen),
  is_visible: optional(isVisible),
};

export const newRoomRefusals = [adminRequired, tooManyRooms, tooManyRequests];

/**
 * The rooms that a user can create in a day. Without a limit, one account could fill the directory.
 */
const mostPerDay = 50;

/** Refuses, with 403, callers who may not create rooms under `ROOM_CREATION`. */
export function requireRoomCreation(caller: Caller | undefined): void {
  if (config.roomCreation === 'admins' && !isAdmin(caller)) throw adminRequired();
}

/**
 * Creates a room for a user; 409 if the user is in too many rooms, 429 for too many new rooms in a
 * day.
 */
export const createRoomFor = (
  wanted: Values<typeof newRoomParameters>,
  caller: Caller,
  key: IdempotencyKey | undefined,
): Promise<CreationResult<Room>> => createRoom(wanted, caller.user._id, { key, admit: () => countNewRoom(caller) });

async function countNewRoom(caller: Caller): Promise<void> {
  const { areOn, roomsPerUser } = config.limits;
  if (!areOn || isAdmin(caller)) return;
  const user = caller.user._id;
  if ((await countRooms(user, { isAdded: false, limit: roomsPerUser })) >= roomsPerUser) throw tooManyRooms();
  const limit = { most: mostPerDay, window: 24 * 60 * minute, isSettled: true } as const;
  await failClosed(() => takeSlot(newRoomsOf(user), new ObjectId(), limit));
}

const newRoomsOf = (user: ObjectId) => keyOf('new rooms of', user.toHexString());

/** Forgets the new rooms that were counted for an account. */
export const forgetNewRoomLimit = async (user: ObjectId): Promise<void> =>
  void (await loginLimits.deleteMany({ _id: newRoomsOf(user) }));
