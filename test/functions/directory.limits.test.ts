import { expect, it } from 'vitest';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { transports } from '../support/transports.ts';

useConfig({ RATE_LIMITS: 'on', ROOMS_PER_USER: '1' });

it.each(transports())('POST /api/directory refuses a user who is in as many rooms as allowed, %s', async (_, call) => {
  const create = ({ token }: { token: string }) => call('POST', '/api/directory', { token, body: { name: 'Garden' } });
  const [user, admin] = [await anAccount(), await anAdmin()];
  expect((await create(user)).status).toBe(201);
  expect(await create(user)).toMatchObject({ status: 409, body: { code: 'too_many_rooms' } });
  for (let made = 0; made < 2; made++) expect((await create(admin)).status).toBe(201);
});
