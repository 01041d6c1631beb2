import type { Filter } from 'mongodb';
import type { MessageDocument } from '../../collections/rooms/messages.ts';
import type { Caller } from '../../identity/caller.ts';
import { type AuthoredMessage, findAuthored } from '../messages.ts';
import type { HistoryPage } from '../newest-pages.ts';
import { readAcross } from './across-rooms.ts';
import { type Place, showPlace } from './find-matches.ts';

/**
 * Reads a page of the messages that mention the caller, in all rooms that the caller may read, the
 * newest first.
 */
export async function readMyMentions(after: Place | undefined, limit: number, caller: Caller): Promise<HistoryPage> {
  const find = async (last: Place | undefined, count: number) => {
    const stages = [{ $sort: { created_at: -1, room: -1, seq: -1 } }, { $limit: count }];
    const found = await findAuthored<AuthoredMessage>({ mentions: caller.user._id, ...(last && comingAfter(last)) }, stages);
    return found.map((message) => ({ place: message as Place, message }));
  };
  const { shown, next } = await readAcross(find, after, limit, caller);
  return { messages: shown.map(({ message }) => message), next: next && { cursor: showPlace(next) } };
}

/**
 * The condition for messages after a cursor. The first bound lets the index be used; the rest
 * orders messages of the same time.
 */
const comingAfter = ({ created_at, room, seq }: Place): Filter<MessageDocument> => ({
  created_at: { $lte: created_at },
  $or: [{ created_at: { $lt: created_at } }, { room: { $lt: room } }, { room, seq: { $lt: seq } }],
});
