import { expect, it } from 'vitest';

process.env.RATE_LIMITS = 'on';
const { aReceiver } = await import('../support/webhook-receiver.ts');
const { aName, anAccount } = await import('../support/accounts.ts');
const { aBot } = await import('../support/bots.ts');
const { addMember, aRoom, succeed } = await import('../support/rooms.ts');
const { inProcess: call } = await import('../support/transports.ts');

it('a member calls thirty slash commands a minute, and the bot hears of no others; other members go on', async () => {
  const [room, member, name, receiver] = [await aRoom(), await anAccount(), aName(), aReceiver()];
  const bot = await aBot(room.owner);
  await addMember(room, bot);
  await addMember(room, member);
  const body = { url: receiver.url, description: 'Deploys' };
  await succeed(call('PUT', `${bot.path}/commands/${name}`, { token: bot.token, body }));
  const say = async ({ token }: { token: string }) =>
    (await call('POST', `${room.path}/commands`, { token, body: { command: name } })).status;
  const statuses: number[] = [];
  for (let count = 0; count < 31; count++) statuses.push(await say(room.owner));
  expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
  expect(receiver.asked).toHaveLength(30);
  expect(await say(member)).toBe(200);
});
