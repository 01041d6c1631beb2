import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { changeUser } from '../../lib/accounts/accounts.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { type RoomDocument, rooms } from '../../lib/collections/rooms/rooms.ts';
import { anAccount } from '../support/accounts.ts';
import { addMember, aRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

it('a room whose only owner is deactivated is given to an active person, and not to a bot or another deactivated account', async () => {
  const [owner, inactive, bot, person] = [await anAccount(), await anAccount(), await anAccount(), await anAccount()];
  const room = await aRoom({ owner });
  await addMember(room, inactive, 'moderator');
  await addMember(room, bot, 'moderator');
  await addMember(room, person);
  await changeUser(new ObjectId(inactive.id), { is_active: false });
  await users.updateOne({ _id: new ObjectId(bot.id) }, { $set: { is_bot: true } });
  await changeUser(new ObjectId(owner.id), { is_active: false });
  const { members } = (await rooms.findOne({ _id: new ObjectId(room.id) })) as RoomDocument;
  expect(members.map(({ role }) => role)).toEqual(['owner', 'moderator', 'moderator', 'owner']);
});

it('a room whose only owner is deactivated gets another owner, and conversations stay as they are', async () => {
  const [owner, first, moderator] = [await anAccount(), await anAccount(), await anAccount()];
  const room = await aRoom({ owner });
  const alone = await aRoom({ owner });
  await addMember(room, first);
  await addMember(room, moderator, 'moderator');
  const conversation = await call('POST', '/api/conversations', { token: owner.token, body: { users: [{ $oid: first.id }] } });
  const direct = new ObjectId((conversation.body as { _id: { $oid: string } })._id.$oid);
  const rolesIn = async (_id: ObjectId) => (await rooms.findOne({ _id }))?.members.map(({ role }) => role);
  const before = await rolesIn(direct);
  await changeUser(new ObjectId(owner.id), { is_active: false });
  expect(await rolesIn(new ObjectId(room.id))).toEqual(['owner', 'member', 'owner']);
  expect(await rolesIn(new ObjectId(alone.id))).toEqual(['owner']);
  expect(await rolesIn(direct)).toEqual(before);
  const change = await call('PATCH', room.path, { token: moderator.token, body: { is_open: true } });
  expect(change.status).toBe(200);
});
