import { ObjectId } from 'mongodb';
import { type DateTime, dateSchema, showDate } from '../api/dates.ts';
import { type Id, idSchema, showId } from '../api/extended-json.ts';
import { aCount, aText, aWord, eitherOf, orNull, record } from '../api/schema.ts';
import { shared } from '../database/batching.ts';
import type { Caller } from '../identity/tokens.ts';
import { deletedUsername, findUsernames } from '../identity/users.ts';
import { type Member, memberSchema, showMember } from '../members/members.ts';
import {
  type AuthoredMessage,
  countReplies,
  isMessage,
  type Message,
  messageSchema,
  messages,
  repliedTo,
  showAuthored,
  withAuthor,
} from '../messages/messages.ts';
import { type EventDocument, type EventType, eventTypes } from '../rooms/event-log.ts';
import { type Room, roomSchema, rooms, showRoom } from '../rooms/rooms.ts';
import { readFeed } from './feed.ts';
import type { FullRow } from './rows.ts';

/** What happened in a room, as the API shows it. */
export type Event = {
  seq: number;
  type: EventName;
  room: Id;
  at: DateTime;
  actor: Id | null;
  /** What it is about, as it is now. */
  data: About | null;
};
type EventName = 'message.created' | Exclude<EventType, 'void'>;
type About = Message | Member | FormerMember | Room;

/** Who is no member any more has neither a role nor a time of joining. */
type FormerMember = Pick<Member, '_id' | 'room' | 'user' | 'username'> & { role: null; joined_at: null };

const formerMemberSchema = record<FormerMember>('FormerMember', {
  _id: idSchema,
  room: idSchema,
  user: idSchema,
  username: aText,
  role: { type: 'null' },
  joined_at: { type: 'null' },
});

export const eventSchema = record<Event>('Event', {
  seq: aCount,
  type: aWord<EventName>('message.created', ...eventTypes),
  room: idSchema,
  at: dateSchema,
  actor: orNull(idSchema),
  data: eitherOf<[Message, Member, FormerMember, Room, null]>(messageSchema, memberSchema, formerMemberSchema, roomSchema, {
    type: 'null',
  }),
});

/** The header that says where a feed goes on. */
export const nextCursor = { type: 'string', pattern: '^\\d+$', description: 'What to send as `after` to go on from here.' };

/** Reads a room's feed behind `after`, and where to go on. */
export async function readEvents(room: ObjectId, caller: Caller, after: number | undefined, limit: number) {
  const { rows, next } = await readFeed(room, caller, after, limit);
  return { events: rows.length === 0 ? [] : await showEvents(room, rows), next };
}

// The rows of a room's feed as the API shows them, but those at which nothing happened. What they are about is read behind
// them, and so as it is now: an event is recorded when its change is done.
async function showEvents(room: ObjectId, rows: FullRow[]): Promise<Event[]> {
  const happened = rows.flatMap(({ event }) => (event && event.type !== 'void' ? [event] : []));
  const ofRoom = happened.filter(({ data }) => !('message' in data));
  const changedIds = idsIn(happened, 'message');
  const repliedToIds = rows.flatMap(({ message }) => (message ? repliedTo(message) : []));
  const [changed, replies, current, usernames] = await Promise.all([
    findMessages(changedIds),
    countReplies(room, [...repliedToIds, ...changedIds]),
    ofRoom.length > 0 ? rooms.findOne({ _id: room }) : null,
    findUsernames(idsIn(ofRoom, 'user')),
  ]);

  const shown = new Map(changed.map((message) => [message._id.toHexString(), showAuthored(message, replies)]));

  const about = ({ data: { message, member, user } }: EventDocument): About | null => {
    if (message instanceof ObjectId) return shown.get(message.toHexString()) ?? null;
    if (!(member instanceof ObjectId && user instanceof ObjectId)) return current && showRoom(current);
    const username = usernames.get(user.toHexString()) ?? deletedUsername;
    const there = current?.members.find(({ _id }) => _id.equals(member));
    return there
      ? showMember(room, there, username)
      : { _id: showId(member), room: showId(room), user: showId(user), username, role: null, joined_at: null };
  };

  return rows.flatMap(({ seq, at, message, event }): Event[] => {
    const common = { seq, room: showId(room), at: showDate(at) };
    if (message)
      return [{ ...common, type: 'message.created', actor: showId(message.user), data: showAuthored(message, replies) }];
    if (!event || event.type === 'void') return [];
    return [{ ...common, type: event.type, actor: event.actor && showId(event.actor), data: about(event) }];
  });
}

const idsIn = (happened: EventDocument[], name: string): ObjectId[] =>
  happened.flatMap(({ data }) => (data[name] instanceof ObjectId ? [data[name]] : []));

const findMessages = async (ids: ObjectId[]): Promise<AuthoredMessage[]> =>
  ids.length === 0
    ? []
    : sharedMessages(ids.join(), () =>
        messages.aggregate<AuthoredMessage>([{ $match: { ...isMessage, _id: { $in: ids } } }, ...withAuthor]).toArray(),
      );

const sharedMessages = shared<AuthoredMessage[]>();
