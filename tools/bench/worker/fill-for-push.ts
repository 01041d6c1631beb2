import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { anAccount, aRoom } from './documents.ts';

/** The users to connect, and their rooms. */
export type Crowd = {
  tokens: string[];
  /**
   * The first tokens belong to members of `busy`. The sender, who is not connected, is in both
   * rooms.
   */
  sender: string;
  busy: string;
  quiet: string;
};

/** Creates `users` users. The first `inBusy` of them share a room. */
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
