import type { ObjectId } from 'mongodb';
import { showId } from '../api/extended-json.ts';
import { aCount, described, listOf, record, type Shown } from '../api/schema.ts';
import { files } from '../collections/rooms/files.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { findPersons, personFields, showPerson } from '../identity/persons.ts';
import { aUserId } from '../identity/users.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { type Counters, messageCount } from '../rooms/counters.ts';
import { owners } from '../rooms/managed-rooms.ts';
import { validInvitations } from './invitations.ts';

/** The most files that are counted, and the most owners that are shown. */
const mostFiles = 10_000;
const mostOwners = 20;

/** The contents of a room, which are all deleted with the room. */
export const roomUsageSchema = record('RoomUsage', {
  members: described('The number of members.', aCount),
  messages: described('The number of messages, including deleted ones.', aCount),
  files: described('The number of files that were sent, at most 10,000.', aCount),
  file_bytes: described('The size of these files, in bytes.', aCount),
  invitations: described('The number of invitations that can be used.', aCount),
  webhooks: described('The number of webhooks.', aCount),
  owners: described(
    'The owners, at most 20.',
    listOf(record('RoomOwner', { user: aUserId, ...personFields }, ['name', 'avatar', 'is_bot'])),
  ),
});

type Row = Counters & { members: number; owners: ObjectId[]; invitations: number; webhooks: number };

/** Counts the contents of a room; 404 if it does not exist. */
export async function readRoomUsage(room: ObjectId): Promise<Shown<typeof roomUsageSchema>> {
  const [[found], [sent]] = await Promise.all([
    rooms.aggregate<Row>({ _id: room }, [{ $project: projection }]).toArray(),
    files.aggregate<{ count: number; bytes: number }>(sumOfFiles(room)).toArray(),
  ]);
  if (!found) throw noSuchRoom();
  const shown = found.owners.slice(0, mostOwners);
  const persons = await findPersons(shown);
  return {
    members: found.members,
    messages: messageCount(found),
    files: sent?.count ?? 0,
    file_bytes: sent?.bytes ?? 0,
    invitations: found.invitations,
    webhooks: found.webhooks,
    owners: shown.map((user) => ({ user: showId(user), ...showPerson(persons.get(user.toHexString())) })),
  };
}

const projection = {
  message_count: 1,
  lost_count: 1,
  members: { $size: '$members' },
  owners: { $map: { input: owners, as: 'owner', in: '$$owner.user' } },
  invitations: { $size: validInvitations() },
  webhooks: { $size: { $ifNull: ['$webhooks', []] } },
};

const sumOfFiles = (room: ObjectId) => [
  { $match: { room, state: 'bound' } },
  { $limit: mostFiles },
  { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: '$bytes' } } },
];
