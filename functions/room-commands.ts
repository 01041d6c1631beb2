import { idOf } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import {
  callCommand,
  callParameters,
  callRefusals,
  commandResultSchema,
  listRefusals,
  listRoomCommands,
  roomCommandSchema,
} from '../lib/senders/commands.ts';

const path = { room: idOf('room') };

/** `/api/rooms/{room}/commands`: the slash commands of the bots in a room. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the slash commands of the bots in a room, as a member',
    access: 'user',
    scope: 'messages:read',
    path,
    status: 200,
    answer: listOf(roomCommandSchema),
    refusals: listRefusals,
    run: ({ path: { room }, caller }) => listRoomCommands(room, caller),
  }),
  POST: operation({
    summary: 'Call a slash command, as a member; its bot answers within 5 seconds, to the room or to the caller',
    access: 'user',
    scope: 'messages:write',
    path,
    body: callParameters,
    example: {
      path: { room: '6b0163a40d8ba8fd1b9cf44c' },
      body: { command: 'deploy', text: 'production' },
      answer: { message: null, text: 'Deploying **production**.' },
    },
    status: 200,
    answer: commandResultSchema,
    refusals: callRefusals,
    run: ({ path: { room }, body, caller }) => callCommand(room, body, caller),
  }),
});
