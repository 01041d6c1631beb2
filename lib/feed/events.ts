import { ObjectId } from 'mongodb';
import { historyReplaced } from '../api/cursors.ts';
import { dateSchema, distinct, idSchema, showDate, showId } from '../api/extended-json.ts';
import { aType, described, eitherOf, orNull, record, type Schema, type Shown, union } from '../api/schema.ts';
import { type EventDocument, memberEventTypes, messageEventTypes, roomEventTypes } from '../collections/rooms/events.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { singleFlight } from '../database/batching.ts';
import { findPersons, showPerson } from '../identity/persons.ts';
import { formerMemberSchema, memberSchema, showMember } from '../members/members.ts';
import { type AuthoredMessage, findAuthored, showAuthored, shownMessage } from '../messages/messages.ts';
import { fitting, weightOf, weightOfIds } from '../messages/page-size.ts';
import { countReplies } from '../messages/replies.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { refusalsOf } from '../rooms/permissions.ts';
import { aRoomId, shownRoom } from '../rooms/rooms.ts';
import { aSeq } from '../rooms/sequence.ts';
import { cursorTooOld, type Reader, readFeed } from './feed.ts';
import type { FullRow } from './rows.ts';

/** The schema of an event: common fields, and its own `data`. */
const event = <const Type extends string, T>(title: string, types: readonly Type[], description: string, data: Schema<T>) =>
  record(title, {
    seq: aSeq,
    type: aType(...types),
    room: aRoomId,
    at: described('The time of the event, by the clock of the database.', dateSchema),
    actor: described('The user who caused it; null for the service and its command line.', orNull(idSchema)),
    data: described(description, data),
  });

/**
 * An event in a room. `data` is the current state of the message, member or room that the event is
 * about.
 */
export const eventSchema = union(
  'Event',
  event('MessageCreated', ['message.created'], 'The message as it is now, possibly edited or deleted.', shownMessage.schema),
  event('MessageChanged', messageEventTypes, 'The message as it is now, after all changes.', orNull(shownMessage.schema)),
  event('MemberChanged', memberEventTypes, 'The present or the former membership.', eitherOf(memberSchema, formerMemberSchema)),
  event('RoomChanged', roomEventTypes, 'The room as it is now.', orNull(shownRoom.schema)),
);
export type Event = Shown<typeof eventSchema>;

export const eventRefusals = [...refusalsOf('read'), noSuchRoom, cursorTooOld, historyReplaced];

/**
 * Reads a room's feed after a cursor: at most `limit` events, and as many as fit in a page. `next`
 * is the cursor to continue from.
 */
export async function readEvents(room: ObjectId, after: number | undefined, limit: number, reader: Reader) {
  const { rows, next } = await readFeed(room, after, limit, reader);
  if (rows.length === 0) return { events: [], next };
  const { events, isCut, last } = await showEvents(room, rows);
  return { events, next: isCut ? last : next };
}

// The rows of a room's feed as the API shows them, without void ones, and the last row that fitted
// in the page. Their messages and members are read after the rows, so they are up to date: an event
// is recorded after its change.
async function showEvents(room: ObjectId, all: FullRow[]): Promise<{ events: Event[]; isCut: boolean; last: number }> {
  const happened = all.flatMap(({ event }) => (event && event.type !== 'void' ? [event] : []));
  const ofRoom = happened.filter(({ data }) => !('message' in data));
  const changedIds = distinct(idsIn(happened, 'message')).slice(0, mostChanged);
  const sent = all.flatMap(({ message }) => message ?? []);
  const [changed, current, persons] = await Promise.all([
    findMessages(changedIds),
    ofRoom.length > 0 ? rooms.findOne({ _id: room }) : null,
    findPersons(idsIn(ofRoom, 'user')),
  ]);
  const replies = await countReplies(room, [...sent, ...changed]);

  const found = new Map(changed.map((message) => [message._id.toHexString(), message]));
  const wasRead = new Set(changedIds.map((id) => id.toHexString()));
  const weightOfRow = ({ message, event }: FullRow): number => {
    if (message) return weightOf(message);
    const id = event?.data.message;
    if (!(id instanceof ObjectId)) return weightOfIds(event?.data.member ? 0 : (current?.members.length ?? 0));
    const about = found.get(id.toHexString());
    if (about) return weightOf(about);
    return wasRead.has(id.toHexString()) ? 0 : Number.POSITIVE_INFINITY;
  };
  const rows = fitting(all, weightOfRow);

  const shown = new Map(changed.map((message) => [message._id.toHexString(), showAuthored(message, replies)]));

  const about = ({ data: { message, member, user } }: EventDocument): Event['data'] => {
    if (message instanceof ObjectId) return shown.get(message.toHexString()) ?? null;
    if (!(member instanceof ObjectId && user instanceof ObjectId)) return current && shownRoom.show(current);
    const person = persons.get(user.toHexString());
    const present = current?.members.find(({ _id }) => _id.equals(member));
    return present
      ? // Without a status: an event is the same for all members, and some may not see it.
        showMember(room, present, showPerson(person))
      : { _id: showId(member), room: showId(room), user: showId(user), ...showPerson(person), role: null, joined_at: null };
  };

  const events = rows.flatMap(({ seq, at, message, event }): Event[] => {
    const common = { seq, room: showId(room), at: showDate(at) };
    if (message)
      return [{ ...common, type: 'message.created', actor: showId(message.user), data: showAuthored(message, replies) }];
    if (!event || event.type === 'void') return [];
    // `data` is valid for the type, because both were recorded together.
    return [{ ...common, type: event.type, actor: event.actor && showId(event.actor), data: about(event) } as Event];
  });
  return { events, isCut: rows.length < all.length, last: rows.at(-1)?.seq ?? 0 };
}

/**
 * The most changed messages on a page: with the longest texts, they weigh twice the limit of a
 * page.
 */
const mostChanged = 52;

const idsIn = (happened: EventDocument[], name: string): ObjectId[] =>
  happened.flatMap(({ data }) => (data[name] instanceof ObjectId ? [data[name]] : []));

const findMessages = async (ids: ObjectId[]): Promise<AuthoredMessage[]> =>
  ids.length === 0 ? [] : sharedMessages(ids.join(), () => findAuthored({ _id: { $in: ids } }, []));

const sharedMessages = singleFlight<AuthoredMessage[]>();
