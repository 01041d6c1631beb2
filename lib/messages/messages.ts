import { normaliseReaction } from 'chat-service-rules/reactions';
import type { Document, Filter, ObjectId } from 'mongodb';
import { dateSchema, type Id, idSchema, showDate, showId } from '../api/extended-json.ts';
import { type Parameter, text, textUpTo } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aCount, aFlag, aText, aWord, described, listOf, orNull, record } from '../api/schema.ts';
import { invalidParameter, missingParameter, notFound, type Refusal } from '../base/errors.ts';
import { LruCache } from '../base/lru-cache.ts';
import { type AttachedFile, forAll, type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { isWithinProcess } from '../database/within-process.ts';
import type { Caller } from '../identity/caller.ts';
import { aBot, findPersons, type Person, personFields, personsOf, showPerson } from '../identity/persons.ts';
import { type ContextRow, contextFields, contextOf, type RoomContext } from '../rooms/contexts.ts';
import { may, noteReadingAsAdmin } from '../rooms/permissions.ts';
import { aSeq } from '../rooms/sequence.ts';
import { contentFieldNames, contentFields } from './content.ts';
import { countReplies, type ReplyCounts } from './replies.ts';

/** A message with what its author is called and the number of its replies. */
type ShownMessage = MessageDocument & Person & { replies: number };

const file = shownFrom<AttachedFile>();

/** A file as the API shows it with its message. */
const shownFile = file.representation(
  'AttachedFile',
  {
    _id: file.ownId,
    name: file.as(described('The name that its sender gave it.', aText), 'name'),
    type: file.as(described('The media type.', aText), 'type'),
    size: file.as(described('The number of bytes.', aCount), 'size'),
    width: file.as(described('The width of a picture or a video, in pixels; null if unknown.', orNull(aCount)), 'width'),
    height: file.as(described('The height of a picture or a video, in pixels; null if unknown.', orNull(aCount)), 'height'),
    duration: file.as(described('The length of a recording, in seconds; null if unknown.', orNull(aCount)), 'duration'),
    has_preview: file.as(described('Whether there is a small picture of it.', aFlag), 'has_preview'),
    alt: file.as(described('A description for people who cannot see it, if the sender wrote one.', aText), 'alt'),
  },
  ['alt'],
);

const { as, ownId, id, date, dateOrNull, made, representation } = shownFrom<ShownMessage>();

const reactionSchema = record('Reaction', {
  emoji: described('The emoji in its fully qualified form, or the word.', aText),
  users: described('The users with this reaction, in the order of their reactions.', listOf(idSchema)),
});

/** A message as the API shows it. */
export const shownMessage = representation(
  'Message',
  {
    _id: ownId,
    room: id('room', 'The room of the message.'),
    seq: as(aSeq, 'seq'),
    user: id('user', 'The author.'),
    username: as(personFields.username, 'username'),
    name: as(personFields.name, 'name'),
    avatar: as(personFields.avatar, 'avatar'),
    is_bot: as(aBot, 'is_bot'),
    via: as(described('The agent that sent it for its author, by the name of its token.', aText), 'via'),
    text: as(described('The text; empty if the message has only files, or is deleted.', aText), 'text'),
    ...contentFields,
    files: made(described('The files, in the order of their sender.', listOf(shownFile.schema)), ({ files = [] }) =>
      files.map(shownFile.show),
    ),
    is_streaming: made(
      described('Only on a message that was streamed: true until its text is complete.', aFlag),
      ({ streaming, streamed }) => (streaming ? true : streamed && false),
    ),
    is_interrupted: made(described('Only on a streamed message that its author did not finish: true.', aFlag), ({ streamed }) =>
      streamed === 'interrupted' ? true : undefined,
    ),
    created_at: date('created_at', 'The time of sending.'),
    edited_at: dateOrNull('edited_at', 'The time of the last edit; null before the first.'),
    deleted_at: dateOrNull('deleted_at', 'The time of deletion, which keeps the place and removes the text; null before.'),
    thread: made(
      described('The parent message of a reply; else null.', orNull(idSchema)),
      ({ thread }) => thread && showId(thread),
    ),
    is_in_room: made(
      described('Whether the message is shown in its room; a reply may be only in its thread.', aFlag),
      ({ is_folded }) => is_folded !== true,
    ),
    repliers: made(
      described('Up to three users who replied last, the latest at the end.', listOf(idSchema)),
      ({ repliers = [] }) => repliers.map(showId),
    ),
    replied_at: made(described('The time of the last reply; null before the first.', orNull(dateSchema)), ({ replied_at }) =>
      replied_at ? showDate(replied_at) : null,
    ),
    reply_count: made(described('The number of replies, without deleted ones.', aCount), ({ replies }) => replies),
    mentions: made(
      described('The members that the text named when it was sent or edited.', listOf(idSchema)),
      ({ mentions, for_all }) => (for_all?.named ?? mentions).map(showId),
    ),
    mentions_all: made(
      described(
        '`room` if the message mentions all members, `here` if it mentions the connected ones; null if neither.',
        orNull(aWord(...forAll)),
      ),
      ({ for_all }) => for_all?.kind ?? null,
    ),
    reactions: made(described('The reactions, by emoji.', listOf(reactionSchema)), ({ reactions }) => groupReactions(reactions)),
    pinned_at: dateOrNull('pinned_at', 'The time of pinning; null if not pinned.'),
  },
  ['name', 'avatar', 'is_bot', 'via', 'is_streaming', 'is_interrupted', ...contentFieldNames],
);
export type Message = ShownBy<typeof shownMessage>;

export const noSuchMessage: Refusal = () => notFound('message');

/** How many characters the text of a message has at most. */
export const longestText = 10_000;
const wholeText = text(1, longestText);

/** The text of a message; empty for one that may have files instead, see `requireContent`. */
export const messageText: Parameter<string> = {
  ...textUpTo(longestText),
  about:
    'The text of the message; optional with files. `@name` mentions a member, `@room` all members and `@here` the connected ones, except in code, in an address or after a backslash. Line breaks of all kinds become newlines; colour sequences of terminals are removed.',
  rule: wholeText.rule,
};

/** Refuses a message that would say nothing: it has a text, or files. */
export function requireContent(text: string | undefined, files: unknown[] = []): void {
  if (files.length > 0 || text) return;
  throw text === undefined ? missingParameter('text') : invalidParameter('text', wholeText.rule);
}

/** A message with its author, as `withAuthor` finds them. */
export type AuthoredMessage = MessageDocument & { authors: Partial<Person>[] };

/** The end of an aggregation over messages: adds what each author is called. */
const withAuthor = [
  { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'authors' } },
  { $set: { authors: personsOf('$authors') } },
];

/**
 * Runs stages on the matching messages and adds their authors, in one round trip if most names are
 * not cached.
 */
export async function findAuthored<Found extends AuthoredMessage>(
  filter: Filter<MessageDocument>,
  stages: Document[],
): Promise<Found[]> {
  if (!isWithinProcess()) return messages.aggregate<Found>(filter, [...stages, ...withAuthor]).toArray();
  const found = await messages.aggregate<Found>(filter, stages).toArray();
  const persons = await findPersons(found.map(({ user }) => user));
  for (const message of found) {
    const author = persons.get(message.user.toHexString());
    message.authors = author ? [author] : [];
  }
  return found;
}

/** A message that the caller may read, and its room. 404 for everyone else. */
export async function findMessage(id: ObjectId, caller: Caller): Promise<{ message: AuthoredMessage; room: RoomContext }> {
  const existing = { $filter: { input: '$rooms', as: 'room', cond: { $not: ['$$room.deleting_at'] } } };
  const [found] = await messages
    .aggregate<AuthoredMessage & { rooms: ContextRow[] }>({ _id: id }, [
      { $lookup: { from: 'rooms', localField: 'room', foreignField: '_id', as: 'rooms' } },
      { $set: { rooms: { $map: { input: existing, as: 'room', in: contextFields([caller.user._id], '$$room.') } } } },
      ...withAuthor,
    ])
    .toArray();
  const row = found?.rooms[0];
  const room = row && contextOf(row, caller);
  if (!found || !room || !may(room, 'read')) throw noSuchMessage();
  await noteReadingAsAdmin(room, caller);
  return { message: found, room };
}

/** Reads a message; 404 unless the caller may read it. */
export async function readMessage(id: ObjectId, caller: Caller): Promise<Message> {
  const { message } = await findMessage(id, caller);
  return showAuthored(message, await countReplies(message.room, [message]));
}

/** Shows a message by its author and the number of its replies. */
export const showMessage = (message: MessageDocument, author: Partial<Person> | undefined, replies: number): Message =>
  shownMessage.show({ ...message, ...showPerson(author), replies });

/** Shows a message that was found with its author, by the reply counts of its room. */
export const showAuthored = (message: AuthoredMessage, replies: ReplyCounts): Message =>
  showMessage(message, message.authors[0], replies.get(message._id.toHexString()) ?? 0);

/** The messages with these ids, in their order and without those that were deleted. */
export async function findInOrder(ids: ObjectId[]): Promise<AuthoredMessage[]> {
  if (ids.length === 0) return [];
  const found = await findAuthored<AuthoredMessage>({ _id: { $in: ids }, deleted_at: null }, []);
  const byId = new Map(found.map((message) => [message._id.toHexString(), message]));
  return ids.flatMap((id) => byId.get(id.toHexString()) ?? []);
}

/** Shows messages of several rooms. */
export async function showTogether(found: AuthoredMessage[]): Promise<Message[]> {
  const byRoom = Map.groupBy(found, ({ room }) => room.toHexString());
  const counted = await Promise.all(
    [...byRoom.values()].map((ofRoom) => countReplies((ofRoom[0] as AuthoredMessage).room, ofRoom)),
  );
  const replies = new Map(counted.flatMap((counts) => [...counts]));
  return found.map((message) => showAuthored(message, replies));
}

// In the order of each emoji's first use, and of each user's for it.
function groupReactions(reactions: MessageDocument['reactions']): { emoji: string; users: Id[] }[] {
  const groups = new Map<string, Map<string, Id>>();
  for (const { emoji, user } of reactions) {
    const shown = shownEmoji(emoji);
    const users = groups.get(shown) ?? new Map<string, Id>();
    groups.set(shown, users.set(user.toHexString(), showId(user)));
  }
  return [...groups].map(([emoji, users]) => ({ emoji, users: [...users.values()] }));
}

/**
 * A stored reaction as it is shown: older ones are stored as they were sent, in more than one form.
 */
export function shownEmoji(stored: string): string {
  const known = shownForms.get(stored);
  if (known !== undefined) return known;
  const shown = normaliseReaction(stored) ?? stored;
  shownForms.set(stored, shown);
  return shown;
}

const shownForms = new LruCache<string>(1_000);
