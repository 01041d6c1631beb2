import { describe, expect, it } from 'vitest';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { commandsGot } from '../../support/database-within.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, storedRooms, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

const admin = await anAdmin();
const [ann, bob]: [Account, Account] = [await anAccount(), await anAccount()];

describe('the list of all rooms, with the database within the process,', () => {
  it('is read again after each change of a room, and only then', async () => {
    const room = await aRoom({ owner: ann });
    const changes = [
      () => aRoom({ name: 'Another', owner: ann }),
      () => succeed(call('PATCH', room.path, { token: ann.token, body: { name: 'Renamed', is_open: false } })),
      () => addMember(room, bob),
      () => aMessage(ann, room.id),
      () => succeed(call('DELETE', room.path, { token: admin.token })),
    ];
    const ways = [list, () => list('?limit=200'), () => list('?limit=2')];
    for (const change of changes) {
      await change();
      const all = await storedRooms();
      expect(await Promise.all(ways.map((way) => way()))).toEqual([all, all, all.slice(0, 2)]);
      for (const way of ways) expect(await readsOfRooms(way)).toEqual([]);
    }
    await call('PATCH', '/api/users/me', {
      token: bob.token,
      body: { email: 'new@example.org', current_password: bob.password },
    });
    for (const way of ways) expect(await readsOfRooms(way)).toEqual([]);
  });
});

const list = async (query = '') => (await succeed(call('GET', `/api/rooms${query}`, { token: admin.token }))).body;

const readsOfRooms = async (work: () => Promise<unknown>) =>
  (await commandsGot(work)).filter((command) => command.get('find') === 'rooms');
