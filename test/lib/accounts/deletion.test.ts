import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { deleteUser, finishDeletions } from '../../../lib/accounts/deletion.ts';
import { loginLimits } from '../../../lib/collections/accounts/login-limits.ts';
import { readMarkers } from '../../../lib/collections/rooms/read-markers.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { database } from '../../../lib/database/client.ts';
import { findCaller } from '../../../lib/identity/authenticate.ts';
import { createRoom } from '../../../lib/rooms/rooms.ts';
import { anAccount, logIn } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { addMember, aRoom, succeed } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

useOwnDatabase();

const users = database.collection('users');
const tokens = database.collection('tokens');

describe('a deletion', () => {
  it('a deletion keeps nothing of the account except that it existed', async () => {
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

  it('a deletion leaves no read marker, no ban and no trace of a login', async () => {
    const ann = await anAccount();
    const [left, banning] = [await aRoom(), await aRoom()];
    const members = await Promise.all([left, banning].map((room) => addMember(room, ann)));
    await succeed(inProcess('DELETE', `/api/members/${members[0]}`, { token: ann.token }));
    await succeed(inProcess('DELETE', `/api/members/${members[1]}?ban=true`, { token: banning.owner.token }));
    const others = await traces();
    for (const password of ['a guess', ann.password]) await logIn(inProcess, ann.username, password);
    expect(await traces()).toEqual({ markers: 2, bans: 1, logins: others.logins + 3 });

    await deleteUser(new ObjectId(ann.id));
    expect(await traces()).toEqual({ markers: 0, bans: 0, logins: others.logins });
  });

  it('a deletion of someone who has read a thousand rooms deletes every marker', async () => {
    const { id } = await anAccount();
    const user = new ObjectId(id);
    const marker = () => ({ _id: { room: new ObjectId(), user }, seq: 1, ordinal: 1 });
    await readMarkers.insertMany(Array.from({ length: 1_000 }, marker));
    await deleteUser(user);
    expect(await readMarkers.countDocuments({ '_id.user': user })).toBe(0);
  });

  it.each([
    ['requested again', deleteUser],
    ['found by finishDeletions', finishDeletions],
  ])('a deletion that stopped after its first write is finished when it is %s', async (_how, finish) => {
    const { id, token } = await anAccount();
    const user = new ObjectId(id);
    const room = new ObjectId((await createRoom({ name: 'Left' }, user)).value._id.$oid);
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

/** How many documents there are that only accounts leave behind. */
async function traces() {
  const [markers, bans, logins] = await Promise.all([
    readMarkers.countDocuments(),
    rooms.countDocuments({ banned: { $ne: [] } }),
    loginLimits.countDocuments({ _id: { $gte: 'account', $lt: 'account~' } }),
  ]);
  return { markers, bans, logins };
}
