import { expect, it } from 'vitest';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { useConfig } from '../support/config.ts';
import { addMember, aRoom } from '../support/rooms.ts';
import { admin as adminCommand } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

// One account adds the same user to a tenth of this number, and at least to ten.
useConfig({ RATE_LIMITS: 'on', ROOMS_PER_USER: '20', WRITE_BURST: '100' });

it('nobody uses up the rooms that others may add a user to', async () => {
  const [ann, bob, adder, colleague, admin] = await Promise.all([anAccount(), anAccount(), anAccount(), anAccount(), anAdmin()]);
  const add = async (by: { token: string }, user = ann, owner = adder) => {
    const room = await aRoom({ owner });
    if (by !== owner) await addMember(room, by as typeof adder, 'moderator');
    return (await call('POST', '/api/members', { token: by.token, body: { room: room.id, user: user.id } })).status;
  };
  for (let count = 0; count < 10; count++) expect(await add(adder)).toBe(201);
  expect(await add(adder)).toBe(429);
  // A bot counts for its owner.
  expect(await add({ ...(await anAccount()), ...(await aBot(adder)) })).toBe(429);
  expect(await add(adder, bob)).toBe(201);
  expect(await add(colleague, ann, colleague)).toBe(201);
  expect(await add(admin, ann, admin)).toBe(201);
  await adminCommand(['user', 'unlimit', adder.username]);
  expect(await add(adder)).toBe(201);
});
