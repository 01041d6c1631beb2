import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { changeUser } from '../../lib/accounts/accounts.ts';
import { deleteUser } from '../../lib/accounts/deletion.ts';
import { changeBot } from '../../lib/bots/bots.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import { commandLine } from '../../lib/identity/caller.ts';
import { findSenders } from '../../lib/senders/senders.ts';
import { type Account, anAccount } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { addMember, aRoom, succeed } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

/**
 * A hidden room with items that a bot has created as a moderator: webhooks in both directions, and
 * an invitation.
 */
async function whatABotMade(owner: Account) {
  const room = await aRoom({ is_visible: false });
  const bot = await aBot(owner);
  await addMember(room, bot, 'moderator');
  const make = async (path: string, body: object) =>
    (await succeed(call('POST', `${room.path}/${path}`, { token: bot.token, body }))).body as never;
  const incoming: { secret: string } = await make('webhooks', {});
  const outgoing: { _id: { $oid: string } } = await make('webhooks', { url: 'https://receiver.example/' });
  const { code }: { code: string } = await make('invitations', {});
  return {
    bot: new ObjectId(bot.id),
    room: new ObjectId(room.id),
    post: async () => (await call('POST', `/api/webhooks/${incoming.secret}`, { body: { text: 'x' } })).status,
    invited: async () => (await call('POST', '/api/invitations', { body: { invitation: code } })).status,
    sends: async () => {
      const senders = await findSenders(new ObjectId(room.id));
      const own = senders.find(({ _id }) => _id.toHexString() === outgoing._id.$oid);
      return (await own?.isThere()) ?? false;
    },
  };
}

const end = async ({ post, invited, sends }: Awaited<ReturnType<typeof whatABotMade>>) => [
  await post(),
  await invited(),
  await sends(),
];

describe('the works of a bot', () => {
  it.each<[string, (owner: ObjectId, bot: ObjectId) => Promise<unknown>]>([
    ['its owner is deactivated', (owner) => changeUser(owner, { is_active: false })],
    ['its owner is deleted', (owner) => deleteUser(owner)],
    ['it gets another owner', async (_owner, bot) => changeBot(bot, { name: undefined, owner: null }, commandLine)],
    [
      'its owner is deactivated by a process that dies at once',
      (_id) => users.updateOne({ _id }, { $set: { is_active: false } }),
    ],
  ])('webhooks and invitations of a bot end when %s', async (_when, change) => {
    const owner = await anAccount();
    const made = await whatABotMade(owner);
    expect(await end(made)).toEqual([201, 200, true]);
    await change(new ObjectId(owner.id), made.bot);
    expect(await end(made)).toEqual([404, 404, false]);
  });

  it('webhooks and invitations of a bot are removed from its rooms with its owner', async () => {
    const owner = await anAccount();
    const { room } = await whatABotMade(owner);
    await changeUser(new ObjectId(owner.id), { is_active: false });
    expect(await rooms.findOne({ _id: room }, { projection: { _id: 0, webhooks: 1, invitations: 1 } })).toEqual({
      webhooks: [],
      invitations: [],
    });
  });
});
