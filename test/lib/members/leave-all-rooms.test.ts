import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { leaveAllRooms } from '../../../lib/members/leave-all-rooms.ts';
import { createRoom } from '../../../lib/rooms/rooms.ts';

const [ann, bob, cem] = [new ObjectId(), new ObjectId(), new ObjectId()];
type Member = [ObjectId, 'owner' | 'moderator' | 'member'];

describe('members who leave all rooms', () => {
  it.each<[string, Member[], Member[]]>([
    ['the only member leaves an empty room', [[ann, 'owner']], []],
    [
      'a member leaves the others as they are',
      [
        [bob, 'owner'],
        [ann, 'member'],
        [cem, 'member'],
      ],
      [
        [bob, 'owner'],
        [cem, 'member'],
      ],
    ],
    [
      'one of two owners leaves the other',
      [
        [ann, 'owner'],
        [bob, 'member'],
        [cem, 'owner'],
      ],
      [
        [bob, 'member'],
        [cem, 'owner'],
      ],
    ],
    [
      'the last owner is succeeded by a moderator, before members who joined earlier',
      [
        [ann, 'owner'],
        [bob, 'member'],
        [cem, 'moderator'],
      ],
      [
        [bob, 'member'],
        [cem, 'owner'],
      ],
    ],
    [
      'the last owner of a room without moderators is succeeded by the member who joined first',
      [
        [ann, 'owner'],
        [bob, 'member'],
        [cem, 'member'],
      ],
      [
        [bob, 'owner'],
        [cem, 'member'],
      ],
    ],
  ])('leaving all rooms: %s', async (_what, before, after) => {
    const [id, untouched] = [await aRoom(before), await aRoom([[bob, 'owner']])];
    await leaveAllRooms(ann);
    expect(await membersOf(id)).toEqual(after);
    expect(await membersOf(untouched)).toEqual([[bob, 'owner']]);
    await leaveAllRooms(ann);
    expect(await membersOf(id)).toEqual(after);
  });
});

async function aRoom(members: Member[]): Promise<ObjectId> {
  const { value } = await createRoom({ name: 'Left' }, ann);
  const id = new ObjectId(value._id.$oid);
  const entries = members.map(([user, role]) => ({ _id: new ObjectId(), user, role, joined_at: new Date() }));
  await rooms.updateOne({ _id: id }, { $set: { members: entries } });
  return id;
}

const membersOf = async (id: ObjectId): Promise<Member[] | undefined> =>
  (await rooms.findOne({ _id: id }))?.members.map(({ user, role }) => [user, role]);
