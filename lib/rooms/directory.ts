import { type Listed, type Page, pageOf, withOneMore } from '../api/pages.ts';
import { type Parameter, text } from '../api/parameters.ts';
import { type ShownBy, shownFrom } from '../api/representation.ts';
import { aCount, aFlag, aText } from '../api/schema.ts';
import { type RoomDocument, rooms } from '../collections/rooms.ts';
import { nameKey } from './rooms.ts';

type ListedDocument = Pick<RoomDocument, '_id' | 'name' | 'name_key' | 'topic' | 'is_open'> & { member_count: number };

const { as, id, made, representation } = shownFrom<ListedDocument>();

/** A room in the directory. */
export const shownListedRoom = representation('ListedRoom', {
  _id: id('_id'),
  name: as(aText, 'name'),
  topic: as(aText, 'topic'),
  member_count: made(aCount, ({ member_count }) => member_count, { member_count: { $size: '$members' } }),
  is_open: as(aFlag, 'is_open'),
});
export type ListedRoom = ShownBy<typeof shownListedRoom>;

/** How the names of the wanted rooms begin. */
export const nameStart = text(1, 100);

/** A place in the directory: the key of the room that it comes after, which may have been deleted since. */
export const directoryCursor: Parameter<string> = {
  read: (sent) => {
    if (typeof sent !== 'string' || !/^[\w-]{1,1200}$/.test(sent)) return undefined;
    return Buffer.from(sent, 'base64url').toString('utf8');
  },
  rule: "be a cursor from this list's Link header",
  schema: { type: 'string', pattern: '^[\\w-]{1,1200}$' },
};

/** A page of the visible rooms by name, whatever its case: all, or those whose names begin with `q`. */
export async function listDirectory(q: string | undefined, { limit, after }: Page<string>): Promise<Listed<ListedRoom>> {
  const start = nameKey(q ?? '');
  const range = { $gte: start, $lt: `${start}\u{10ffff}`, ...(after !== undefined && { $gt: after }) };
  const projection = { ...shownListedRoom.reads, name_key: 1 };
  const options = { projection, sort: { name_key: 1 as const }, ...withOneMore(limit) };
  const found = await rooms.find<ListedDocument>({ is_visible: true, name_key: range }, options).toArray();
  return pageOf(found, limit, shownListedRoom.show, ({ name_key }) => Buffer.from(name_key).toString('base64url'));
}
