import { idOf, readParameters } from '../../lib/api/parameters.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { findUserId } from '../../lib/identity/users.ts';
import { deleteRoom } from '../../lib/rooms/deletion.ts';
import { changeDetails } from '../../lib/rooms/details.ts';
import { createRoom, listRooms, roomName } from '../../lib/rooms/rooms.ts';
import { type Command, required } from '../command.ts';
import { confirm } from '../confirm.ts';
import { everyItem } from '../every-item.ts';
import { table, yesOrNo } from '../table.ts';
import { readUsername } from './user.ts';

export const roomCommands: Record<string, Command> = {
  'room list': {
    usage: 'room list',
    summary: 'Lists every room.',
    operands: 0,
    run: async () => {
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
  },
  'room create': {
    usage: 'room create <name> --owner <username>',
    summary: 'Creates an open, visible room with one member, its owner.',
    operands: 1,
    options: { owner: { type: 'string' } },
    run: async ([word], options) => {
      const { name } = readParameters({ name: roomName }, { name: word });
      const { value: room } = await createRoom(name, await findUserId(readUsername(required(options, 'owner'))));
      return { data: room, text: `Created the room ${room._id.$oid}.` };
    },
  },
  'room archive': {
    usage: 'room archive <id>',
    summary: 'Archives a room: its messages stay readable, but neither messages nor members can be added.',
    operands: 1,
    run: async ([id]) => {
      const details = await changeDetails(roomId(id), { archived: true, topic: undefined }, commandLine);
      return { data: details, text: `Archived the room ${id}.` };
    },
  },
  'room delete': {
    usage: 'room delete <id> [--yes]',
    summary: 'Permanently deletes a room with all its messages. Asks first, unless --yes is given.',
    operands: 1,
    options: { yes: { type: 'boolean' } },
    run: async ([id], options) => {
      const room = roomId(id);
      await confirm(`Delete the room ${id} with all its messages?`, options.yes === true);
      await deleteRoom(room);
      return { data: { _id: { $oid: room.toHexString() } }, text: `Deleted the room ${id}.` };
    },
  },
};

const roomId = (word: string | undefined) => readParameters({ room: idOf('room') }, { room: word }).room;
