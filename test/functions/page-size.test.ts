import { describe, expect, it } from 'vitest';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { placeIn } from '../support/cursors.ts';
import { aMessage } from '../support/messages.ts';
import { aRoom, nextOf } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ PAGE_SIZE: '2' });

describe('a PAGE_SIZE of 2', async () => {
  const [owner, admin] = [await anAccount(), await anAdmin()];
  const rooms = [await aRoom({ owner }), await aRoom({ owner }), await aRoom({ owner })];
  const room = rooms[0]?.id ?? '';
  for (let count = 0; count < 3; count++) await aMessage(owner, room);

  it.each(['/api/directory', '/api/members?user=me', `/api/messages?room=${room}`])(
    'with a PAGE_SIZE of 2 a page of %s has 2 things without `limit`, and as many as `limit` says with it',
    async (path) => {
      const page = await call('GET', path, { token: owner.token });
      expect(page.body).toHaveLength(2);
      expect(nextOf(page)).toBeDefined();
      const separator = path.includes('?') ? '&' : '?';
      expect((await call('GET', `${path}${separator}limit=3`, { token: owner.token })).body).toHaveLength(3);
    },
  );

  it('with a PAGE_SIZE of 2 a page of events has 2, and its cursor continues it', async () => {
    const { headers, body } = await call('GET', `/api/events?room=${room}&after=0`, { token: owner.token });
    expect(body).toHaveLength(2);
    expect(placeIn(headers['x-next-cursor'])).toBe('2');
  });

  it('with a PAGE_SIZE of 2 GET /api/rooms lists all rooms, unless a page is requested', async () => {
    const { body } = await call('GET', '/api/rooms', { token: admin.token });
    expect((body as unknown[]).length).toBeGreaterThanOrEqual(3);
    const page = await call('GET', `/api/rooms?after=${'0'.repeat(24)}`, { token: admin.token });
    expect(page.body).toHaveLength(2);
  });

  it('with a PAGE_SIZE of 2 GET /api/health reports the page size', async () => {
    expect((await call('GET', '/api/health')).body).toMatchObject({ limits: { page_size: 2 } });
  });
});
