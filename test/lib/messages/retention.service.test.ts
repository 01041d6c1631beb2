import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { sweepMessages } from '../../../lib/messages/retention.ts';
import { anAccount } from '../../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../../support/config.ts';
import { refusals } from '../../support/error-bodies.ts';
import { aMessage } from '../../support/messages.ts';
import { outcome } from '../../support/responses.ts';
import { aRoom } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

useOwnDatabase();

useConfig({ RETENTION_DAYS: '30' });

it('no message is kept longer than RETENTION_DAYS, and a room can choose fewer days', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const { body } = await call('POST', '/api/conversations', { token: ann.token, body: { users: [bob.id] } });
  const conversation = (body as { _id: { $oid: string } })._id.$oid;
  const room = await aRoom({ owner: ann });
  for (const [where, days] of [
    [conversation, 31],
    [conversation, 29],
    [room.id, 31],
  ] as const) {
    const { _id } = await aMessage(ann, where);
    const sent = new Date(Date.now() - days * 86_400_000);
    await messages.updateOne({ _id: new ObjectId(_id.$oid) }, { $set: { created_at: sent } });
  }
  const choose = (retention_days: number) =>
    call('PATCH', `${room.path}/details`, { token: ann.token, body: { retention_days } });
  expect((await call('GET', `${room.path}/details`, { token: ann.token })).body).toMatchObject({ retention_days: 30 });
  expect(outcome(await choose(60))).toEqual(refusals.invalid('retention_days', 'be null, or from 1 to 30'));
  expect(await choose(7)).toMatchObject({ status: 200, body: { retention_days: 7 } });
  expect(await sweepMessages()).toBe(2);
});
