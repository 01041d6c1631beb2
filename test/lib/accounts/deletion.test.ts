import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { deleteUser, finishDeletions } from '../../../lib/accounts/deletion.ts';
import { rooms } from '../../../lib/collections/rooms.ts';
import { database } from '../../../lib/database/client.ts';
import { findCaller } from '../../../lib/identity/authenticate.ts';
import { createRoom } from '../../../lib/rooms/rooms.ts';
import { anAccount } from '../../support/accounts.ts';

const users = database.collection('users');
const tokens = database.collection('tokens');

describe('a deletion', () => {
  it('keeps nothing of the account except that it existed', async () => {
    const { id } = await anAccount();
    await deleteUser(new ObjectId(id));
    expect(await users.findOne({ _id: new ObjectId(id) })).toEqual({
      _id: new ObjectId(id),
      is_admin: false,
      is_active: false,
      session_generation: 0,
      created_at: expect.any(Date),
      deleted_at: expect.any(Date),
    });
    expect(await tokens.countDocuments({ user: new ObjectId(id) })).toBe(0);
  });

  it.each([
    ['requested again', deleteUser],
    ['found by finishDeletions', finishDeletions],
  ])('that stopped after its first write is finished when it is %s', async (_how, finish) => {
    const { id, token } = await anAccount();
    const user = new ObjectId(id);
    const room = new ObjectId((await createRoom('Left', user)).value._id.$oid);
    const firstWrite = {
      $set: { is_active: false, has_leftovers: true, deleted_at: new Date() },
      $unset: { username: '', email_key: '' },
    };
    await users.updateOne({ _id: user }, firstWrite);
    expect(await findCaller(token)).toBeUndefined();

    await finish(user);
    expect(await rooms.findOne({ _id: room })).toMatchObject({ members: [] });
    expect(await tokens.countDocuments({ user })).toBe(0);
    expect(await users.findOne({ _id: user })).not.toHaveProperty('has_leftovers');
    await expect(deleteUser(user)).rejects.toThrow('No such user.');
  });
});
