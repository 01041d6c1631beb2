import { ObjectId } from 'mongodb';
import { createUser } from '../../../lib/accounts/accounts.ts';
import { createToken } from '../../../lib/accounts/api-tokens.ts';
import { rooms } from '../../../lib/collections/rooms.ts';
import { createRoom } from '../../../lib/rooms/rooms.ts';

/** Who is connected, and the rooms of which some of them are members. */
export type Crowd = {
  tokens: string[];
  /** The first of them are in `busy`; a sender, who is not connected, is in both rooms. */
  sender: string;
  busy: string;
  quiet: string;
};

/** Fills a database with so many users, of whom the first ones share a room. */
export async function fillForPush(users: number, inBusy: number): Promise<Crowd> {
  const all: { id: ObjectId; token: string }[] = [];
  for (let at = 0; at <= users; at++) all.push(await anAccount(`user-${at}`));
  const [sender, ...others] = all as [(typeof all)[number], ...typeof all];
  const busy = await aRoom(sender.id, others.slice(0, inBusy));
  const quiet = await aRoom(sender.id, []);
  return { tokens: others.map(({ token }) => token), sender: sender.token, busy, quiet };
}

async function anAccount(username: string) {
  const { _id } = await createUser({ username, email: `${username}@example.org`, password: 'a long password', is_admin: false });
  const id = new ObjectId(_id.$oid);
  return { id, token: (await createToken(id, 'bench')).token };
}

async function aRoom(owner: ObjectId, others: { id: ObjectId }[]): Promise<string> {
  const { value } = await createRoom('Bench', owner);
  const joined_at = new Date();
  const members = others.map(({ id }) => ({ _id: new ObjectId(), user: id, role: 'member' as const, joined_at }));
  await rooms.updateOne({ _id: new ObjectId(value._id.$oid) }, { $push: { members: { $each: members } } });
  return value._id.$oid;
}
