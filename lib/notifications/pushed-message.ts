import { parse } from 'chat-service-rules/markdown/parse';
import { textOfBlocks } from 'chat-service-rules/markdown/plain';
import type { PushedMessage } from 'chat-service-rules/push-payload';
import { isWithinHours } from 'chat-service-rules/quiet-hours';
import { beginningOf } from 'chat-service-rules/shortened';
import type { RoomDocument } from '../collections/rooms/rooms.ts';
import type { Caller } from '../identity/caller.ts';
import type { Message } from '../messages/messages.ts';
import { config } from '../settings/config.ts';

/** How many characters of a text a notification has: encrypted, all of it must fit into 4 kB. */
const mostText = 300;

/** The parts of a message that a push notification shows to a caller. */
export function pushedMessage(
  { name: room_name, is_direct }: Pick<RoomDocument, 'name' | 'is_direct'>,
  { room, seq, text, files, username, name, via, thread, is_in_room }: Message,
  caller: Caller,
): PushedMessage {
  const said = textOfBlocks(parse(text)).replaceAll(/\s+/g, ' ').trim() || files.map((file) => file.name).join(', ');
  return {
    room: room.$oid,
    seq,
    author: via === undefined ? name || username : `${name || username} via ${via}`,
    ...(!is_direct && { room_name }),
    ...(config.hasPushText && !caller.user.hides_push_text && { text: beginningOf(said, mostText) }),
    ...(thread && !is_in_room && { thread: thread.$oid }),
  };
}

/** True if the user has paused notifications, or has quiet hours now. */
export const isQuiet = ({ user: { quiet_until, quiet_hours } }: Caller): boolean =>
  (quiet_until !== undefined && quiet_until.getTime() > Date.now()) ||
  (quiet_hours !== undefined && isWithinHours(quiet_hours, new Date()));
