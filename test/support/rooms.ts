import type { Role } from 'chat-service-rules/permissions';
import { type Db, ObjectId } from 'mongodb';
import { events } from '../../lib/collections/rooms/events.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { type RoomDocument, rooms } from '../../lib/collections/rooms/rooms.ts';
import { database } from '../../lib/database/client.ts';
import { createRoom, type Room, type ShownRoom, shownRoom } from '../../lib/rooms/rooms.ts';
import { type Account, anAccount, anAdmin } from './accounts.ts';
import { type Call, inProcess, type Reply } from './transports.ts';

/** A room created for one test, with its own owner. */
export type TestRoom = { id: string; path: string; owner: Account };

type RoomOptions = {
  name?: string;
  owner?: Account;
  is_open?: boolean;
  is_visible?: boolean;
  archived?: boolean;
  members?: Account[];
  moderators?: Account[];
};

/** Creates a room as the command line does, and changes it as its owner does. */
export async function aRoom(wanted: RoomOptions = {}): Promise<TestRoom> {
  const { name = 'General', owner = await anAccount(), members = [], moderators = [], archived, ...flags } = wanted;
  const { value } = await createRoom({ name }, new ObjectId(owner.id));
  const room = { id: value._id.$oid, path: `/api/rooms/${value._id.$oid}`, owner };
  for (const member of members) await addMember(room, member);
  for (const moderator of moderators) await addMember(room, moderator, 'moderator');
  if (Object.keys(flags).length > 0) await succeed(inProcess('PATCH', room.path, { token: owner.token, body: flags }));
  if (archived) await succeed(inProcess('PATCH', `${room.path}/details`, { token: owner.token, body: { archived } }));
  return room;
}

/**
 * Creates a room that has these members, by default the first of them as its owner. The members are
 * stored with the room instead of joining it, so it lacks events. Returns its id.
 */
export async function aRoomOf(
  members: (Pick<Account, 'id'> | [Pick<Account, 'id'>, Role])[],
  fields: Partial<RoomDocument> = {},
): Promise<string> {
  const roled = members.map((member, index) =>
    Array.isArray(member) ? member : ([member, index === 0 ? 'owner' : 'member'] as const),
  );
  const { value } = await createRoom({ name: 'Test' }, new ObjectId(roled[0]?.[0].id));
  const joined_at = new Date();
  const entries = roled.map(([{ id }, role]) => ({ _id: new ObjectId(), user: new ObjectId(id), role, joined_at }));
  await rooms.updateOne({ _id: new ObjectId(value._id.$oid) }, { $set: { members: entries, ...fields } });
  return value._id.$oid;
}

/**
 * Makes everything in a room older than any function may run, so that a feed no longer waits at a
 * gap.
 */
export async function age(room: string): Promise<void> {
  const id = new ObjectId(room);
  const earlier = (field: string) => [{ $set: { [field]: { $add: [`$${field}`, -60_000] } } }];
  await Promise.all([
    messages.unscoped.updateMany({ room: id, created_at: { $exists: true } }, earlier('created_at')),
    events.updateMany({ room: id }, earlier('at')),
    rooms.updateOne({ _id: id }, earlier('changed_at')),
  ]);
}

/** Adds a member as the room's owner; returns the member's id. */
export async function addMember(
  { id, owner }: TestRoom,
  { id: user }: Pick<Account, 'id'>,
  role: Role = 'member',
  call: Call = inProcess,
): Promise<string> {
  const { body } = await succeed(call('POST', '/api/members', { token: owner.token, body: { room: id, user, role } }));
  return (body as { _id: { $oid: string } })._id.$oid;
}

/** The id that an account has as a member of a room. */
export async function memberId({ id }: TestRoom, account: Account): Promise<string> {
  const rows = await everyPage(inProcess, `/api/members?room=${id}&limit=200`, (await theAdmin()).token);
  const row = rows.find(({ user }) => user.$oid === account.id);
  if (!row) throw new Error(`${account.username} is not a member of ${id}`);
  return row._id.$oid;
}

type ListedMember = { _id: { $oid: string }; user: { $oid: string }; name: string };

/** Reads all pages of a list. */
export async function everyPage(call: Call, path: string, token: string, between = async () => {}): Promise<ListedMember[]> {
  const found: ListedMember[] = [];
  for (let next: string | undefined = path; next; ) {
    const reply: Reply = await succeed(call('GET', next, { token }));
    found.push(...(reply.body as ListedMember[]));
    next = nextOf(reply);
    if (next) await between();
  }
  return found;
}

/** All rooms as the API shows them, read without it. */
export const storedRooms = async (): Promise<Room[]> =>
  (await rooms.find<ShownRoom>({}, { sort: { _id: 1 } }).toArray()).map(shownRoom.show);

/** The address of the next page, if there is one. */
export const nextOf = ({ headers }: Reply) => headers.link?.match(/^<(.+)>; rel="next"$/)?.[1];

/** The reply to a call that must succeed; for steps that only prepare a test. */
export async function succeed(reply: Promise<Reply>): Promise<Reply> {
  const { status, headers, body } = await reply;
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return { status, headers, body };
}

/** A room with an owner, a moderator and a member, and besides them a user and an admin. */
export async function aRoomWithEveryone(wanted: RoomOptions = {}) {
  const [owner, moderator, member, user, admin] = await Promise.all([
    anAccount(),
    anAccount(),
    anAccount(),
    anAccount(),
    anAdmin(),
  ]);
  const room = await aRoom({ ...wanted, owner, moderators: [moderator], members: [member] });
  return { room, owner, moderator, member, user, admin };
}

const admins = new WeakMap<Db, Promise<Account>>();

/** An administrator who looks at what a test has done. */
export function theAdmin(): Promise<Account> {
  const admin = admins.get(database) ?? anAdmin();
  admins.set(database, admin);
  return admin;
}
