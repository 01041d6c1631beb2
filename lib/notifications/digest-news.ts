import type { PushedMessage } from 'chat-service-rules/push-payload';
import type { ObjectId } from 'mongodb';
import { distinct } from '../api/extended-json.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import type { Caller } from '../identity/caller.ts';
import { type AuthoredMessage, findAuthored, showTogether } from '../messages/messages.ts';
import { notBlocked } from '../rooms/conversations.ts';
import { findMarkersIn } from '../rooms/read-markers.ts';
import { findUnreadMentions } from './list.ts';
import { pushedMessage } from './pushed-message.ts';

/*
 * Finds the contents of an e-mail digest: mentions and direct messages that the reader may see now
 * and has not read. Sending a message writes nothing for digests.
 */

/** The most messages of an e-mail, and of one conversation in it. */
export const mostMessages = 20;
const mostOfConversation = 5;

/** The most conversations that are searched for messages. */
const mostConversations = 20;

/** The messages of an e-mail, the oldest first, and whether there are more. */
export type DigestNews = { messages: PushedMessage[]; isMore: boolean };

/** Finds unread mentions and direct messages between two times; `before` is optional. */
export async function findDigestNews(since: Date, before: Date | undefined, caller: Caller): Promise<DigestNews> {
  const [mentions, direct] = await Promise.all([findUnreadMentions(since, caller), findDirect(since, caller)]);
  const byId = new Map([...mentions, ...direct].map((message) => [message._id.toHexString(), message]));
  const all = [...byId.values()]
    .filter(({ created_at }) => created_at > since && (!before || created_at < before))
    .sort((one, other) => other.created_at.getTime() - one.created_at.getTime());
  const found = all.slice(0, mostMessages).reverse();
  if (found.length === 0) return { messages: [], isMore: false };
  const told = await findRooms(distinct(found.map(({ room }) => room)));
  const shown = await showTogether(found);
  return {
    messages: shown.flatMap((message) => {
      const room = told.get(message.room.$oid);
      return room ? [pushedMessage(room, message, caller)] : [];
    }),
    isMore: all.length > found.length,
  };
}

async function findRooms(ids: ObjectId[]): Promise<Map<string, Pick<RoomDocument, 'name' | 'is_direct'>>> {
  const found = await rooms
    .find<Pick<RoomDocument, '_id' | 'name' | 'is_direct'>>({ _id: { $in: ids } }, { projection: { name: 1, is_direct: 1 } })
    .toArray();
  return new Map(found.map((room) => [room._id.toHexString(), room]));
}

/** The last unread messages of other people in the most recently active conversations. */
async function findDirect(since: Date, caller: Caller): Promise<AuthoredMessage[]> {
  const me = caller.user._id;
  const filter = { 'members.user': me, is_direct: true as const, last_message_at: { $gt: since }, ...notBlocked(caller) };
  const options = { projection: { _id: 1 }, sort: { last_message_at: -1 as const }, limit: mostConversations };
  const ids = (await rooms.find<{ _id: ObjectId }>(filter, options).toArray()).map(({ _id }) => _id);
  if (ids.length === 0) return [];
  const markers = await findMarkersIn(ids, me);
  const heard = ids.filter((id) => {
    const marker = markers.get(id.toHexString());
    return !marker?.isMuted && marker?.notifyOf !== 'mentions';
  });
  const found = await Promise.all(
    heard.map((room) => {
      const unread = { room, user: { $ne: me }, deleted_at: null, is_folded: { $exists: false }, streaming: { $exists: false } };
      const seq = { $gt: markers.get(room.toHexString())?.seq ?? 0 };
      return findAuthored<AuthoredMessage>({ ...unread, seq }, [{ $sort: { seq: -1 } }, { $limit: mostOfConversation }]);
    }),
  );
  return found.flat();
}
