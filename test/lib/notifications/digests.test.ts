import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { users } from '../../../lib/collections/accounts/users.ts';
import { sendDigests } from '../../../lib/notifications/digests.ts';
import { anAccount } from '../../support/accounts.ts';
import { useConfig, useOwnDatabase, withConfig } from '../../support/config.ts';
import { mailsTo } from '../../support/mail.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoom } from '../../support/rooms.ts';

useConfig({ REQUIRE_2FA: 'all', SECRET_KEY: 'ab'.repeat(32) });
useOwnDatabase();

const secondFactor = { secret: 'x', since: new Date(), last_step: 0, recovery_codes: [] };
const send = () => sendDigests({ until: performance.now() + 60_000 });

/** Somebody with a confirmed address and an unread mention. */
async function aMentionedUser(): Promise<{ _id: ObjectId; email: string }> {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner: bob, members: [ann] });
  await aMessage(bob, room.id, { text: `@${ann.username}` });
  const _id = new ObjectId(ann.id);
  await users.updateOne({ _id }, { $set: { confirmed_email: ann.email } });
  return { _id, email: ann.email };
}

it('an account without its required second factor gets no e-mail about unread messages', async () => {
  const { _id, email } = await aMentionedUser();
  await send();
  expect(mailsTo(email)).toEqual([]);
  await users.updateOne({ _id }, { $set: { second_factor: secondFactor } });
  await send();
  expect(mailsTo(email)).toHaveLength(1);
});

it('a round stops at a mail server that is out of reach, and starts there again', async () => {
  const { _id, email } = await aMentionedUser();
  await users.updateOne({ _id }, { $set: { second_factor: secondFactor } });
  const whileDown = await withConfig({ SMTP_URL: 'smtp://127.0.0.1:1' }, send);
  expect(whileDown).toEqual({ accounts: 0, sent: 0 });
  expect(await send()).toMatchObject({ sent: 1 });
  expect(mailsTo(email)).toHaveLength(1);
});
