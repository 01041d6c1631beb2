import { pathId } from '../../lib/api/extended-json.ts';
import { readParameters } from '../../lib/api/parameters.ts';
import { findUserId } from '../../lib/identity/users.ts';
import { deleteRoom } from '../../lib/rooms/deletion.ts';
import { changeDetails } from '../../lib/rooms/details.ts';
import { createRoom, listRooms, type Room, roomName } from '../../lib/rooms/rooms.ts';
import { type Command, required } from '../command.ts';
import { confirm } from '../confirm.ts';
import { table, yesOrNo } from '../table.ts';
import { readUsername } from './user.ts';

export const roomCommands: Record<string, Command> = {
  'room list': {
    usage: 'room list',
    summary: 'Lists every room.',
    operands: 0,
    run: async () => {
      const rooms = await everyRoom();
      const rows = rooms.map(({ _id, name, members, is_open, is_visible }) => [
        _id.$oid,
        String(members.length),
        yesOrNo(is_open),
        yesOrNo(is_visible),
        name,
      ]);
      return { data: rooms, text: table(['id', 'members', 'open', 'visible', 'name'], rows) };
    },
  },
  'room create': {
    usage: 'room create <name> --owner <username>',
    summary: 'Creates an open, visible room with one member, its owner.',
    operands: 1,
    options: { owner: { type: 'string' } },
    run: async ([word], options) => {
      const { name } = readParameters({ name: roomName }, { name: word });
      const room = await createRoom(name, await findUserId(readUsername(required(options, 'owner'))));
      return { data: room, text: `Created the room ${room._id.$oid}.` };
    },
  },
  'room archive': {
    usage: 'room archive <id>',
    summary: 'Archives a room: what is in it stays to be read, and nothing and nobody is added any more.',
    operands: 1,
    run: async ([id]) => {
      const details = await changeDetails(pathId(id, 'room'), { archived: true }, null);
      return { data: details, text: `Archived the room ${id}.` };
    },
  },
  'room delete': {
    usage: 'room delete <id> [--yes]',
    summary: 'Deletes a room with all its messages, for good. Asks first.',
    operands: 1,
    options: { yes: { type: 'boolean' } },
    run: async ([id], options) => {
      const room = pathId(id, 'room');
      await confirm(`Delete the room ${id} with all its messages?`, options.yes === true);
      await deleteRoom(room);
      return { data: { _id: { $oid: room.toHexString() } }, text: `Deleted the room ${id}.` };
    },
  },
};

async function everyRoom(): Promise<Room[]> {
  const rooms: Room[] = [];
  for (let found = await listRooms({ limit: pageSize, after: undefined }); found.length > 0; ) {
    rooms.push(...found.slice(0, pageSize));
    const last = rooms.at(-1);
    found = found.length > pageSize && last ? await listRooms({ limit: pageSize, after: pathId(last._id.$oid, 'room') }) : [];
  }
  return rooms;
}

// How many rooms are asked for at once: far less than a database call takes too long for.
const pageSize = 200;
