import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { users } from '../../../lib/collections/accounts/users.ts';
import { sendDigests } from '../../../lib/notifications/digests.ts';
import { anAccount } from '../../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../../support/config.ts';
import { mailsTo } from '../../support/mail.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoom } from '../../support/rooms.ts';

useConfig({ REQUIRE_2FA: 'all', SECRET_KEY: 'ab'.repeat(32) });
useOwnDatabase();

it('an account without its required second factor gets no e-mail about unread messages', async () => {
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
