import { showId } from '../../lib/api/extended-json.ts';
import { idOf, readParameters } from '../../lib/api/parameters.ts';
import { actOfRoomDeletion, actsOnRoom } from '../../lib/audit/acts-in-rooms.ts';
import type { Act } from '../../lib/audit/append.ts';
import { exportRooms } from '../../lib/exports/rooms.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { findUserId } from '../../lib/identity/users.ts';
import { deleteRoom } from '../../lib/rooms/deletion.ts';
import { changeDetails, holdRoom } from '../../lib/rooms/details.ts';
import { createRoom, listRooms, roomName } from '../../lib/rooms/rooms.ts';
import { type Options, type Run, required, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { everyItem } from '../every-item.ts';
import { table, yesOrNo } from '../output.ts';
import { progressBar } from '../progress.ts';
import { recorded } from '../recorded.ts';
import { readUsername } from './user.ts';

export const roomCommands: Record<string, Run> = {
  'room list': async () => {
    const rooms = await everyItem(listRooms);
    const rows = rooms.map(({ _id, name, members, is_open, is_visible }) => [
      _id.$oid,
      String(members.length),
      yesOrNo(is_open),
      yesOrNo(is_visible),
      name,
    ]);
    return { data: rooms, text: table(['ID', 'MEMBERS', 'OPEN', 'VISIBLE', 'NAME'], rows) };
  },
  'room create': async ([word], options) => {
    const { name } = readParameters({ name: roomName }, { name: word });
    const owner = await findUserId(readUsername(required(options, 'owner')));
    const { value: room } = await recorded([{ action: 'room.created', target: { kind: 'room', id: null, name } }], () =>
      createRoom({ name }, owner),
    );
    return { data: room, text: `Created the room ${room._id.$oid}.` };
  },
  'room archive': async ([id]) => {
    const room = readRoomId(id);
    const details = await recorded(await actsOnRoom(room, ['room.archived'], commandLine), () =>
      changeDetails(room, { archived: true }, commandLine),
    );
    return { data: details, text: `Archived the room ${id}.` };
  },
  'room hold': async ([id]) => {
    const room = readRoomId(id);
    await recorded(await actsOnRoom(room, ['room.held'], commandLine), () => holdRoom(room, true));
    return { data: { _id: showId(room), is_held: true }, text: `Messages in the room ${id} are kept, however old.` };
  },
  'room release': async ([id]) => {
    const room = readRoomId(id);
    await recorded(await actsOnRoom(room, ['room.released'], commandLine), () => holdRoom(room, false));
    return {
      data: { _id: showId(room), is_held: false },
      text: `Messages in the room ${id} past their retention period are deleted again.`,
    };
  },
  'room export': async ([id, path = ''], options, { stderr }) => {
    const which = id === 'all' ? 'all' : readRoomId(id);
    const period = { since: timeOf(options, 'since'), before: timeOf(options, 'before') };
    const details = Object.fromEntries(
      Object.entries(period).flatMap(([name, time]) => (time ? [[name, time.toISOString()]] : [])),
    );
    const acts: Act[] =
      which === 'all'
        ? [{ action: 'room.exported', target: { kind: 'data', id: null, name: null }, details }]
        : await actsOnRoom(which, ['room.exported'], commandLine, details);
    const bar = progressBar(stderr);
    try {
      const counts = await recorded(acts, () => exportRooms(which, path, { period, progress: bar.update }));
      const lines = Object.entries(counts).map(([what, count]) => `${what}: ${count}`);
      return { data: { directory: path, counts }, text: lines.join('\n') };
    } finally {
      bar.end();
    }
  },
  'room delete': async ([id], options, streams) => {
    const room = readRoomId(id);
    await confirm(`Delete the room ${id} with all its messages?`, options.yes === true, streams);
    await recorded(await actOfRoomDeletion(room), () => deleteRoom(room));
    return { data: { _id: showId(room) }, text: `Deleted the room ${id}.` };
  },
};

/** Reads a time of an option: a day, which begins at midnight in UTC, or a time in ISO 8601. */
function timeOf(options: Options, name: string): Date | undefined {
  const word = options[name];
  if (typeof word !== 'string') return undefined;
  const time = /^\d{4}-\d{2}-\d{2}(T.+)?$/.test(word) ? new Date(word) : undefined;
  if (!time || Number.isNaN(time.getTime()))
    throw new UsageError(`The option --${name} must be a day, such as 2026-01-31, or a time in ISO 8601.`);
  return time;
}

/** Reads a room's id as the API does. */
export const readRoomId = (word: string | undefined) => readParameters({ room: idOf('room') }, { room: word }).room;
