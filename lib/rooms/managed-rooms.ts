import type { ObjectId } from 'mongodb';
import { type ListPage, type Page, pageLimit, pageStart } from '../api/pages.ts';
import { about, id, optional, requireAtMostOne, type Values } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aCount, aFlag, described, orNull } from '../api/schema.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { counterFields, messageCount } from './counters.ts';
import { shownDetails } from './details.ts';
import { directoryCursor, listByName, namePart } from './directory.ts';
import { shownRoom } from './rooms.ts';

type ManagedDocument = Omit<RoomDocument, 'members'> & { member_count: number; owner_count: number };

const { as, ownId, date, dateOrNull, made, representation } = shownFrom<ManagedDocument>();

/** The owners of a room, as an expression. */
export const owners = { $filter: { input: '$members', as: 'member', cond: { $eq: ['$$member.role', 'owner'] } } };

/** A room for administrators who are not its members, without its contents. */
export const shownManagedRoom = representation('ManagedRoom', {
  _id: ownId,
  name: as(shownRoom.fields.name, 'name'),
  topic: as(shownDetails.fields.topic, 'topic'),
  member_count: made(shownDetails.fields.member_count, ({ member_count }) => member_count, {
    member_count: { $size: '$members' },
  }),
  owner_count: made(described('The number of owners among them.', aCount), ({ owner_count }) => owner_count, {
    owner_count: { $size: owners },
  }),
  message_count: made(shownDetails.fields.message_count, messageCount, counterFields),
  created_at: date('created_at', 'The time of creation.'),
  last_message_at: dateOrNull('last_message_at', 'The time of the last message; null before the first.'),
  archived_at: dateOrNull('archived_at', 'The time of archiving; null if the room is not archived.'),
  is_open: as(shownRoom.fields.is_open, 'is_open'),
  is_visible: as(shownRoom.fields.is_visible, 'is_visible'),
  is_default: made(shownDetails.fields.is_default, ({ is_default }) => is_default === true, { is_default: 1 }),
  is_held: made(described('Whether messages are kept however old they are.', aFlag), ({ is_held }) => is_held === true, {
    is_held: 1,
  }),
  retention_days: made(
    described('The days until the room deletes messages; null for the default.', orNull(aCount)),
    ({ retention_days }) => retention_days ?? null,
    { retention_days: 1 },
  ),
});
type ManagedRoom = ShownBy<typeof shownManagedRoom>;

/** The parameters of an administrator's search for rooms. */
export const managedSearch = {
  q: optional(namePart),
  room: about('Return only this room.', optional(id)),
  limit: pageLimit,
  after: pageStart(directoryCursor),
};

/**
 * A page of all rooms by name, including hidden and archived ones, but not direct conversations.
 */
export async function listManagedRooms({ q, room, limit, after }: Values<typeof managedSearch>): Promise<ListPage<ManagedRoom>> {
  requireAtMostOne(['q', 'room'], { q, room });
  if (room) return { items: await findManaged(room), next: undefined };
  return listByName<ManagedDocument, ManagedRoom>({}, shownManagedRoom, q, { limit, after } satisfies Page<string>);
}

async function findManaged(room: ObjectId): Promise<ManagedRoom[]> {
  const where = { _id: room, is_direct: { $ne: true as const } };
  const found = await rooms.findOne<ManagedDocument>(where, { projection: shownManagedRoom.reads });
  return found ? [shownManagedRoom.show(found)] : [];
}
