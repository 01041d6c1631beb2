import { expect, it } from 'vitest';

Object.assign(process.env, { REQUIRE_2FA: 'all', SECRET_KEY: 'ab'.repeat(32) });
await import('../../support/isolated-database.ts');
const { ObjectId } = await import('mongodb');
const { users } = await import('../../../lib/collections/accounts/users.ts');
const { sendDigests } = await import('../../../lib/notifications/digests.ts');
const { anAccount } = await import('../../support/accounts.ts');
const { mailsTo } = await import('../../support/mail.ts');
const { aMessage } = await import('../../support/messages.ts');
const { aRoom } = await import('../../support/rooms.ts');

it('an account that must have a second factor and has none yet gets no e-mail about what is unread', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner: bob, members: [ann] });
  await aMessage(bob, room.id, { text: `@${ann.username}` });
  const account = { _id: new ObjectId(ann.id) };
  await users.updateOne(account, { $set: { confirmed_email: ann.email } });
  const send = () => sendDigests({ until: performance.now() + 60_000 });
  await send();
  expect(mailsTo(ann.email)).toEqual([]);
  const second_factor = { secret: 'x', since: new Date(), last_step: 0, recovery_codes: [] };
  await users.updateOne(account, { $set: { second_factor } });
  await send();
  expect(mailsTo(ann.email)).toHaveLength(1);
});
