import type { ObjectId } from 'mongodb';
import { batchByKey, fulfilled } from '../database/batching.ts';
import { attempt } from '../deadline.ts';
import type { Caller } from '../identity/caller.ts';
import { allowedTo, findContext, requirePermission } from '../rooms/permissions.ts';
import { type Place, placeOf, takePlace } from '../rooms/sequence.ts';

/** Who wants to send a message, and whether the users in the room are asked for. */
export type Sender = { room: ObjectId; caller: Caller; withMembers: boolean };

/** The place that was taken; no members unless they were asked for. */
export type Taken = { place: Place; members: ObjectId[] };

/** Takes a place for a message of a member. Those who send to a room at the same time take theirs in one update, unless one of them may not. */
export const takeMessagePlace = (sender: Sender): Promise<Taken> => takeTogether(sender.room.toHexString(), sender);

const takeTogether = batchByKey(async (senders: Sender[]): Promise<PromiseSettledResult<Taken>[]> => {
  const taken = await takeInARow(senders);
  return taken ? taken.map(fulfilled) : Promise.allSettled(senders.map(takeAlone));
});

const takeAlone = (sender: Sender): Promise<Taken> =>
  attempt({ times: 10 }, async () => {
    // When nothing stands in the way now, something did a moment ago.
    requirePermission(await findContext(sender.room, sender.caller), 'send');
    return (await takeInARow([sender]))?.[0];
  });

async function takeInARow(senders: Sender[]): Promise<Taken[] | undefined> {
  const [{ room }] = senders as [Sender];
  const asksForMembers = senders.some(({ withMembers }) => withMembers);
  const changed = await takePlace<{ members?: { user: ObjectId }[] }>(
    {
      where: { _id: room, ...allowedTo('send', ...senders.map(({ caller }) => caller)) },
      ...(asksForMembers && { projection: { 'members.user': 1 } }),
    },
    senders.length,
  );
  if (!changed) return undefined;
  const last = placeOf(changed);
  const members = (changed.members ?? []).map(({ user }) => user);
  return senders.map(({ withMembers }, index) => {
    const back = senders.length - 1 - index;
    const place = { ...last, seq: last.seq - back, ordinal: last.ordinal - back };
    return { place, members: withMembers ? members : [] };
  });
}
