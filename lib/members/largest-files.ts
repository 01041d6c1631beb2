import { ObjectId } from 'mongodb';
import { dateSchema, distinct, idSchema, ownId, showDate, showId } from '../api/extended-json.ts';
import { aCount, aText, described, listOf, record, type Shown } from '../api/schema.ts';
import { type FileQuotaDocument, fileQuotas } from '../collections/rooms/file-quotas.ts';
import { type FileDocument, files } from '../collections/rooms/files.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { findPersons, personFields, showPerson } from '../identity/persons.ts';
import { aUserId } from '../identity/users.ts';
import { aRoomId } from '../rooms/rooms.ts';
import { config } from '../settings/config.ts';

/** The most files and accounts that are shown. */
const most = 50;

const bytes = described('The size with that of its preview, in bytes.', aCount);
const person = { user: aUserId, ...personFields };

/**
 * The disk space that files use. File names are not shown, because they are part of the rooms'
 * contents.
 */
export const fileOverviewSchema = record('FileOverview', {
  bytes: described('The size of all files, in bytes.', aCount),
  bytes_limit: described('How large all files may be together, in bytes.', aCount),
  bytes_per_user: described('How large the files of one account may be together, in bytes.', aCount),
  files: described(
    'The largest files, at most 50.',
    listOf(
      record(
        'LargeFile',
        {
          _id: ownId,
          message: described('The message with the file; deleting it deletes the file.', idSchema),
          room: aRoomId,
          room_name: described('The name of the room; empty for a direct conversation.', aText),
          type: described('The media type.', aText),
          bytes,
          created_at: described('When it was announced.', dateSchema),
          ...person,
        },
        ['name', 'avatar', 'is_bot'],
      ),
    ),
  ),
  users: described(
    'The accounts with the largest files together, at most 50.',
    listOf(
      record('FileOwner', { ...person, bytes: described('The size of all files that the user has sent, in bytes.', aCount) }, [
        'name',
        'avatar',
        'is_bot',
      ]),
    ),
  ),
});

type LargeFile = Pick<FileDocument, '_id' | 'room' | 'user' | 'message' | 'type' | 'bytes' | 'created_at'>;

/** Finds the largest files and the top uploaders. */
export async function findLargestFiles(): Promise<Shown<typeof fileOverviewSchema>> {
  const [large, counted] = await Promise.all([readLargest(), readQuotas()]);
  const owners = counted.filter(({ _id }) => _id !== service).slice(0, most);
  const [persons, found] = await Promise.all([
    findPersons([...large.map(({ user }) => user), ...owners.map(({ _id }) => ObjectId.createFromHexString(_id))]),
    rooms.find({ _id: { $in: distinct(large.map(({ room }) => room)) } }, { projection: { name: 1 } }).toArray(),
  ]);
  const names = new Map(found.map(({ _id, name }) => [_id.toHexString(), name]));
  const personOf = (id: string) => ({ user: { $oid: id }, ...showPerson(persons.get(id)) });
  return {
    bytes: counted.find(({ _id }) => _id === service)?.bytes ?? 0,
    bytes_limit: config.files.inAll,
    bytes_per_user: config.files.perUser,
    files: large.flatMap(({ _id, message, room, user, type, bytes, created_at }) =>
      message === null
        ? []
        : {
            _id: showId(_id),
            message: showId(message),
            room: showId(room),
            room_name: names.get(room.toHexString()) ?? '',
            type,
            bytes,
            created_at: showDate(created_at),
            ...personOf(user.toHexString()),
          },
    ),
    users: owners.map(({ _id, bytes }) => ({ ...personOf(_id), bytes })),
  };
}

const service = 'service';

const readLargest = () =>
  files
    .find<LargeFile>(
      { bytes: { $gt: 0 }, state: 'bound' },
      {
        projection: { room: 1, user: 1, message: 1, type: 1, bytes: 1, created_at: 1 },
        sort: { bytes: -1 },
        limit: most,
        batchSize: most + 1,
      },
    )
    .toArray();

// The service's own quota is at least as large as any other, so it comes first.
const readQuotas = () =>
  fileQuotas
    .find<Pick<FileQuotaDocument, '_id' | 'bytes'>>(
      { bytes: { $gt: 0 } },
      { projection: { bytes: 1 }, sort: { bytes: -1 }, limit: most + 1, batchSize: most + 2 },
    )
    .toArray();
