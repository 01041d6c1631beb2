import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { users } from '../../lib/collections/accounts/users.ts';
import { anAccount } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { useConfig, withConfig } from '../support/config.ts';
import { addMember, aRoom, succeed, type TestRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ RATE_LIMITS: 'on', WRITES_PER_SECOND: '1', WRITE_BURST: '4' });

/**
 * A room whose owner's burst takes hours to refill, so that the test's duration does not matter.
 */
async function aSlowRoom(): Promise<TestRoom> {
  const room = await aRoom();
  await users.updateOne({ _id: new ObjectId(room.owner.id) }, { $set: { writes_per_second: 0.001 } });
  return room;
}

const aWebhook = ({ path, owner }: TestRoom, token = owner.token): Promise<string> =>
  withConfig({ RATE_LIMITS: 'off' }, async () => {
    const made = await succeed(call('POST', `${path}/webhooks`, { token, body: {} }));
    return (made.body as { secret: string }).secret;
  });

const post = async (secret: string) => (await call('POST', `/api/webhooks/${secret}`, { body: { text: 'Hello' } })).status;

it('the webhooks of one user, and of the bots of that user, together write as much as five accounts', async () => {
  const [room, other] = [await aSlowRoom(), await aSlowRoom()];
  const bot = await aBot(room.owner);
  await addMember(room, { ...(await anAccount()), ...bot }, 'moderator');
  const secrets = [await aWebhook(room, bot.token)];
  for (let count = 0; count < 7; count++) secrets.push(await aWebhook(room));
  const ofOther = await aWebhook(other);
  const statuses: number[] = [];
  // Each of the eight webhooks has a burst of four.
  for (let count = 0; count < 3; count++) statuses.push(...(await Promise.all(secrets.map(post))));
  expect(statuses.toSorted()).toEqual([...Array<number>(20).fill(201), ...Array<number>(4).fill(429)]);
  expect(await post(ofOther)).toBe(201);
});
