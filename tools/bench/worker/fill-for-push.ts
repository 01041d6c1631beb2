import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { anAccount, aRoom } from './documents.ts';

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
  const sender = await anAccount('sender');
  const others: (typeof sender)[] = [];
  for (let at = 0; at < users; at++) others.push(await anAccount(`user-${at}`));
  const busy = aRoom([sender, ...others.slice(0, inBusy)].map(({ id }) => id));
  const quiet = aRoom([sender.id]);
  await rooms.unscoped.insertMany([busy, quiet]);
  return {
    tokens: others.map(({ token }) => token),
    sender: sender.token,
    busy: busy._id.toHexString(),
    quiet: quiet._id.toHexString(),
  };
}
