import type { PushedMessage } from '../../packages/client/src/push-payload.ts';
import { isWithinHours } from '../../packages/client/src/quiet-hours.ts';
import { parse } from '../../packages/client/src/text/parse.ts';
import { textOfBlocks } from '../../packages/client/src/text/plain.ts';
import type { RoomDocument } from '../collections/rooms.ts';
import { config } from '../config.ts';
import type { Caller } from '../identity/caller.ts';
import type { Message } from '../messages/messages.ts';

/** How many characters of a text a notification has: encrypted, all of it must fit into 4 kB. */
const mostText = 300;

/** What a push tells a caller of a message. */
export function pushedMessage(
  { name: room_name, is_direct }: Pick<RoomDocument, 'name' | 'is_direct'>,
  { room, seq, text, files, username, name, thread, is_in_room }: Message,
  caller: Caller,
): PushedMessage {
  const said = textOfBlocks(parse(text)).replaceAll(/\s+/g, ' ').trim() || files.map((file) => file.name).join(', ');
  return {
    room: room.$oid,
    seq,
    author: name || username,
    ...(!is_direct && { room_name }),
    ...(config.hasPushText && !caller.user.hides_push_text && { text: said.slice(0, mostText) }),
    ...(thread && !is_in_room && { thread: thread.$oid }),
  };
}

/** Whether somebody has paused notifications, or wants none at this time of day. */
export const isQuiet = ({ user: { quiet_until, quiet_hours } }: Caller): boolean =>
  (quiet_until !== undefined && quiet_until.getTime() > Date.now()) ||
  (quiet_hours !== undefined && isWithinHours(quiet_hours, new Date()));
