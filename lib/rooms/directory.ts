import { matchesName } from 'chat-service-rules/words/names';
import type { Filter } from 'mongodb';
import { type ListPage, type Page, pageOf } from '../api/pages.ts';
import { about, type Parameter, text } from '../api/parameters.ts';
import { type Representation, type ShownBy, shownFrom } from '../api/representation.ts';
import { aText, described } from '../api/schema.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { shownDetails } from './details.ts';
import { shownRoom } from './rooms.ts';

type ListedDocument = Pick<RoomDocument, '_id' | 'name' | 'name_key' | 'topic' | 'avatar' | 'is_open'> & { member_count: number };

const { as, ownId, made, representation } = shownFrom<ListedDocument>();

/** A room in the directory. */
export const shownListedRoom = representation(
  'ListedRoom',
  {
    _id: ownId,
    name: as(described('The name of the room.', aText), 'name'),
    topic: as(shownDetails.fields.topic, 'topic'),
    avatar: as(shownDetails.fields.avatar, 'avatar'),
    member_count: made(shownDetails.fields.member_count, ({ member_count }) => member_count, {
      member_count: { $size: '$members' },
    }),
    is_open: as(shownRoom.fields.is_open, 'is_open'),
  },
  ['avatar'],
);
type ListedRoom = ShownBy<typeof shownListedRoom>;

/** A part of the name or topic of a room. */
export const namePart = about(
  'Return rooms whose names or topics have words that start with those of `q`. Case and accents do not matter.',
  text(1, 100),
);

/** A cursor of the directory: the key of the last room, which may have been deleted since. */
export const directoryCursor: Parameter<string> = {
  read: (sent) => {
    if (typeof sent !== 'string' || !/^[\w-]{1,1200}$/.test(sent)) return undefined;
    return Buffer.from(sent, 'base64url').toString('utf8');
  },
  rule: "be a cursor from this list's Link header",
  schema: { type: 'string', pattern: '^[\\w-]{1,1200}$' },
};

/** The most rooms that are read for a page of search results, and the number per read. */
const mostLookedAt = 2_000;
const chunkSize = 250;

/** A page of the visible rooms by name. With `q`, only rooms with `q` in their names or topics. */
export const listDirectory = (q: string | undefined, page: Page<string>): Promise<ListPage<ListedRoom>> =>
  listByName<ListedDocument, ListedRoom>({ is_visible: true }, shownListedRoom, q, page);

type NamedRoom = Pick<RoomDocument, 'name' | 'name_key' | 'topic'>;

/** A page of the given rooms by name. With `q`, only rooms with `q` in their names or topics. */
export async function listByName<Stored extends NamedRoom, T extends object>(
  which: Filter<Omit<RoomDocument, '_id'>>,
  shown: Pick<Representation<Stored, T>, 'reads' | 'show'>,
  q: string | undefined,
  { limit, after }: Page<string>,
): Promise<ListPage<T>> {
  const isWanted = ({ name, topic }: NamedRoom) => q === undefined || matchesName(`${name}\n${topic}`, q);
  const size = q === undefined ? limit + 1 : chunkSize;
  const options = { projection: { ...shown.reads, name_key: 1 }, sort: { name_key: 1 as const } };
  const found: Stored[] = [];
  let last = after !== undefined && after > beforeNames ? after : beforeNames;
  for (let lookedAt = 0; lookedAt < mostLookedAt; lookedAt += size) {
    const where = { ...which, name_key: { $gt: last } };
    const chunk = await rooms.find<Stored>(where, { ...options, limit: size, batchSize: size + 1 }).toArray();
    found.push(...chunk.filter(isWanted));
    if (found.length > limit || chunk.length < size)
      return pageOf(found, limit, shown.show, ({ name_key }) => cursorAt(name_key));
    last = chunk.at(-1)?.name_key ?? last;
  }
  return { items: found.map((one) => shown.show(one)), next: cursorAt(last) };
}

// Direct conversations do not have a name, so their keys sort before this.
const beforeNames = '\u0002';

const cursorAt = (key: string) => Buffer.from(key).toString('base64url');
