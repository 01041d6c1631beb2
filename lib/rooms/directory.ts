import type { ObjectId } from 'mongodb';
import { type Id, idSchema, showId } from '../api/extended-json.ts';
import { inOneBatch, type Page, type Row } from '../api/pages.ts';
import { type Parameter, text } from '../api/parameters.ts';
import { aCount, aFlag, aText, record } from '../api/schema.ts';
import { nameKey, type RoomDocument, rooms } from './rooms.ts';

/** A room as it stands in the directory. */
export type ListedRoom = { _id: Id; name: string; topic: string; member_count: number; is_open: boolean };

export const listedRoomSchema = record<ListedRoom>('ListedRoom', {
  _id: idSchema,
  name: aText,
  topic: aText,
  member_count: aCount,
  is_open: aFlag,
});

/** How the name of the wanted rooms begins. */
export const nameStart = text(1, 100);

/** A place in the directory: the key of the room after which it goes on, which needs to be there no more. */
export const directoryCursor: Parameter<string> = {
  read: (sent) => {
    if (typeof sent !== 'string' || !/^[\w-]{1,1200}$/.test(sent)) return undefined;
    return Buffer.from(sent, 'base64url').toString('utf8');
  },
  rule: "be a cursor from this list's Link header",
  schema: { type: 'string', pattern: '^[\\w-]{1,1200}$' },
};

/** A page of the visible rooms by their names, whatever their case, and one more. */
export async function listDirectory(q: string | undefined, page: Page<string>): Promise<Row<ListedRoom>[]> {
  const start = nameKey(q ?? '');
  const range = { $gte: start, $lt: `${start}\u{10ffff}`, ...(page.after !== undefined && { $gt: page.after }) };
  const options = { projection, sort: { name_key: 1 as const }, ...inOneBatch(page.limit) };
  const found = await rooms.find<Listed>({ is_visible: true, name_key: range }, options).toArray();
  return found.map((room) => ({ value: showListed(room), cursor: Buffer.from(room.name_key).toString('base64url') }));
}

type Listed = Pick<RoomDocument, 'name' | 'name_key' | 'topic' | 'is_open'> & { _id: ObjectId; member_count: number };

const projection = { name: 1, name_key: 1, topic: 1, is_open: 1, member_count: { $size: '$members' } };

const showListed = ({ _id, name, topic, member_count, is_open }: Listed): ListedRoom => ({
  _id: showId(_id),
  name,
  topic,
  member_count,
  is_open,
});
