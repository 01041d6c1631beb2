import type { ObjectId } from 'mongodb';
import { dateSchema, distinct, idSchema, showDate, showId } from '../api/extended-json.ts';
import type { ListPage, Page } from '../api/pages.ts';
import type { Parameter } from '../api/parameters.ts';
import { aCount, aFlag, aText, aWord, described, orNull, record, type Shown } from '../api/schema.ts';
import { notificationDays, notificationMarkers } from '../collections/rooms/notifications.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { type FollowedThreadDocument, followedThreads } from '../collections/rooms/threads.ts';
import { retryContended } from '../database/engines.ts';
import type { Caller } from '../identity/caller.ts';
import { aBot, findPersons, personFields, showPerson } from '../identity/persons.ts';
import { type AuthoredMessage, findAuthored, findInOrder, shownEmoji, shownMessage, showTogether } from '../messages/messages.ts';
import { weightOf } from '../messages/page-size.ts';
import { readInChunks } from '../messages/search/across-rooms.ts';
import { type Place, readPlace, showPlace } from '../messages/search/find-matches.ts';
import { notify } from '../notices/notices.ts';
import { notBlocked } from '../rooms/conversations.ts';
import { findMarkersIn } from '../rooms/read-markers.ts';
import { aRoomId } from '../rooms/rooms.ts';
import { aSeq } from '../rooms/sequence.ts';
import { findRows, type Row } from './list-rows.ts';

/*
 * A user's list of notifications is assembled when it is read. It has three sources: messages that
 * mention the user, found by an index; followed threads with replies; and notifications of other
 * actions (`rooms/notifications.ts`). So a message to a thousand members writes nothing for them.
 * The list shows only entries that its reader may see at that time.
 */

/** The most notifications, from the newest, among which unread ones are counted. */
export const mostUnread = 100;

/** A notification as the API shows it. */
export const notificationSchema = record(
  'Notification',
  {
    kind: described(
      '`mention`: a message mentions the caller. `reply`: the last reply of others in a thread that the caller follows. `reaction`: the last reaction of others to a message of the caller. `added`: somebody has added the caller to a room.',
      aWord('mention', 'reply', 'reaction', 'added'),
    ),
    room: aRoomId,
    seq: aSeq,
    at: described('The time of the message, the reaction or the addition.', dateSchema),
    is_unread: described(
      'Whether the caller has read neither the list up to it nor the room or thread, which is not muted.',
      aFlag,
    ),
    user: described('The user who wrote, reacted, or added the caller.', idSchema),
    ...personFields,
    is_bot: aBot,
    emoji: described('The reaction; absent for all other kinds.', aText),
    message: described('The message, or the one with the reaction; null if the caller was added.', orNull(shownMessage.schema)),
  },
  ['name', 'avatar', 'is_bot', 'emoji'],
);
export type Notification = Shown<typeof notificationSchema>;

/** The number of unread notifications. */
export const readingSchema = record('NotificationReading', {
  read_until: described('The time of the newest entry that the caller has read; null if none.', orNull(dateSchema)),
  unread: described(`The number of unread ones among the ${mostUnread} newest.`, { ...aCount, maximum: mostUnread }),
});

/** The header with the number of unread notifications. */
export const unreadHeader = {
  type: 'string',
  pattern: '^\\d{1,3}$',
  description: `The number of unread notifications among the ${mostUnread} newest.`,
};

/** A cursor of the list. */
export const notificationCursor: Parameter<Place> = {
  read: (sent) => (typeof sent === 'string' ? readPlace(sent) : undefined),
  rule: "be a cursor from the list's Link header",
  schema: { type: 'string', pattern: '^\\d{1,15}-[0-9a-f]{24}-\\d{1,15}$' },
};

/** A notification that the caller may see. */
type FoundNotification = {
  place: Place;
  kind: Notification['kind'];
  seq: number;
  at: Date;
  actor: ObjectId;
  emoji?: string;
  message?: AuthoredMessage;
  isUnread: boolean;
};

/** A page of the caller's notifications, the newest first, and the number of unread ones. */
export async function listNotifications(
  { limit, after }: Page<Place>,
  caller: Caller,
): Promise<ListPage<Notification> & { unread: number }> {
  const readUntil = await findReadUntil(caller);
  const find = async (last: Place | undefined, count: number) => {
    const rows = await findRows({ since: oldest(), after: last, count }, caller);
    return { kept: await resolve(rows, readUntil, caller), last: rows.at(-1)?.place, isEnd: rows.length < count };
  };
  const [{ page, next }, unread] = await Promise.all([
    readInChunks(find, after, limit, ({ message }) => (message ? weightOf(message) : 0)),
    countUnread(readUntil, caller),
  ]);
  return { items: await show(page), next: next && showPlace(next), unread };
}

/**
 * The newest messages since a time that mention the caller, in rooms that are not muted. They are
 * unread, both in the room and in the list.
 */
export async function findUnreadMentions(since: Date, caller: Caller): Promise<AuthoredMessage[]> {
  const rows = await findRows({ since, count: mostUnread, isUnread: true }, caller);
  const mentions = rows.filter(({ kind }) => kind === 'mention');
  const found = mentions.length > 0 ? await resolve(mentions, await findReadUntil(caller), caller) : [];
  return found.flatMap(({ isUnread, message }) => (isUnread && message ? [message] : []));
}

/** Moves the caller's marker of the list forward to a time, never backward or into the future. */
export async function readNotifications(until: Date, caller: Caller): Promise<Shown<typeof readingSchema>> {
  const _id = caller.user._id;
  const read_until = new Date(Math.min(until.getTime(), Date.now()));
  const marker = await retryContended(() =>
    notificationMarkers.findOneAndUpdate({ _id }, { $max: { read_until } }, { upsert: true, returnDocument: 'after' }),
  );
  notify({ type: 'notifications', user: _id.toHexString() });
  const reached = marker?.read_until ?? read_until;
  return { read_until: showDate(reached), unread: await countUnread(reached, caller) };
}

const findReadUntil = async ({ user }: Caller): Promise<Date | undefined> =>
  (await notificationMarkers.findOne({ _id: user._id }))?.read_until;

const oldest = () => new Date(Date.now() - notificationDays * 86_400_000);

async function countUnread(readUntil: Date | undefined, caller: Caller): Promise<number> {
  const since = readUntil && readUntil > oldest() ? new Date(readUntil.getTime() + 1) : oldest();
  const rows = await findRows({ since, count: mostUnread, isUnread: true }, caller);
  return (await resolve(rows, readUntil, caller)).filter(({ isUnread }) => isUnread).length;
}

/** The notifications of those rows that the caller may see now, each with whether it is unread. */
async function resolve(rows: Row[], readUntil: Date | undefined, caller: Caller): Promise<FoundNotification[]> {
  if (rows.length === 0) return [];
  const me = caller.user._id;
  const filter = { _id: { $in: distinct(rows.map(({ place }) => place.room)) }, 'members.user': me, ...notBlocked(caller) };
  const mine = await rooms.find<{ _id: ObjectId }>(filter, { projection: { _id: 1 } }).toArray();
  const ids = new Set(mine.map(({ _id }) => _id.toHexString()));
  const visible = rows.filter(({ place }) => ids.has(place.room.toHexString()));
  const [markers, replies, reactedTo, threads] = await Promise.all([
    findMarkersIn(
      mine.map(({ _id }) => _id),
      me,
    ),
    Promise.all(visible.map((row) => (row.kind === 'reply' ? findLastReply(row.thread, me) : undefined))),
    findInOrder(visible.flatMap((row) => (row.kind === 'noted' && row.noted.kind === 'reaction' ? [row.noted._id.of] : []))),
    findThreadMarkers(visible, me),
  ]);
  const byId = new Map(reactedTo.map((message) => [message._id.toHexString(), message]));

  return visible.flatMap((row, at): FoundNotification[] => {
    const found = foundOf(row, replies[at], byId, me);
    if (!found) return [];
    const marker = markers.get(row.place.room.toHexString());
    const isNew = (!readUntil || found.at > readUntil) && !marker?.isMuted;
    const isReadThere =
      row.kind === 'reply'
        ? row.thread.is_unread !== true
        : row.kind === 'mention' && isReadMention(row.message, marker?.seq ?? 0, threads, me);
    return [{ ...found, isUnread: isNew && !isReadThere }];
  });
}

function foundOf(
  row: Row,
  reply: AuthoredMessage | undefined,
  reactedTo: ReadonlyMap<string, AuthoredMessage>,
  me: ObjectId,
): Omit<FoundNotification, 'isUnread'> | undefined {
  const { place } = row;
  if (row.kind === 'mention') return { ...ofMessage(row.message), kind: 'mention', place };
  if (row.kind === 'reply') {
    // A reply that mentions the caller is already in the list as a mention.
    const isMention = reply?.mentions.some((one) => one.equals(me));
    return reply && !isMention ? { ...ofMessage(reply), kind: 'reply', place } : undefined;
  }
  const { kind, at, seq, actor, _id } = row.noted;
  if (kind === 'added') return { kind, place, at, seq, actor };
  const message = reactedTo.get(_id.of.toHexString());
  const others = message?.reactions.filter(({ user }) => !user.equals(me)) ?? [];
  // The user who reacted last may have removed the reaction.
  const last = others.findLast(({ user }) => user.equals(actor)) ?? others.at(-1);
  return message && last && { kind, place, at, seq, actor: last.user, emoji: shownEmoji(last.emoji), message };
}

const ofMessage = (message: AuthoredMessage) => ({
  at: message.created_at,
  seq: message.seq,
  actor: message.user,
  message,
});

/** The last reply of another user in a thread, even if the caller has replied after it. */
async function findLastReply({ _id: { thread }, room }: FollowedThreadDocument, me: ObjectId) {
  const [found] = await findAuthored<AuthoredMessage>({ room, thread, user: { $ne: me }, deleted_at: null }, [
    { $sort: { seq: -1 } },
    { $limit: 1 },
  ]);
  return found;
}

/**
 * The caller's read markers of the threads with mentions that appear only there, by the threads'
 * ids.
 */
async function findThreadMarkers(rows: Row[], user: ObjectId): Promise<ReadonlyMap<string, number>> {
  const ids = rows.flatMap((row) => (row.kind === 'mention' && row.message.is_folded ? (row.message.thread ?? []) : []));
  if (ids.length === 0) return new Map();
  const found = await followedThreads.find({ _id: { $in: distinct(ids).map((thread) => ({ thread, user })) } }).toArray();
  return new Map(found.map(({ _id, seq = 0 }) => [_id.thread.toHexString(), seq] as const));
}

/**
 * True if a mention was read in its room or thread. A mention that an edit has added is read only
 * if it was read since the edit.
 */
function isReadMention(message: AuthoredMessage, roomSeq: number, threads: ReadonlyMap<string, number>, me: ObjectId): boolean {
  const { seq, thread, is_folded, late_mentions = [] } = message;
  if (is_folded && thread) return (threads.get(thread.toHexString()) ?? 0) >= seq;
  return roomSeq >= (late_mentions.find(({ user }) => user.equals(me))?.seq ?? seq);
}

async function show(page: FoundNotification[]): Promise<Notification[]> {
  const [shown, persons] = await Promise.all([
    showTogether(page.flatMap(({ message }) => message ?? [])),
    findPersons(page.map(({ actor }) => actor)),
  ]);
  const byId = new Map(shown.map((message) => [message._id.$oid, message]));
  return page.map(({ place, kind, seq, at, actor, emoji, message, isUnread }) => ({
    kind,
    room: showId(place.room),
    seq,
    at: showDate(at),
    is_unread: isUnread,
    user: showId(actor),
    ...showPerson(persons.get(actor.toHexString())),
    ...(emoji !== undefined && { emoji }),
    message: (message && byId.get(message._id.toHexString())) ?? null,
  }));
}
