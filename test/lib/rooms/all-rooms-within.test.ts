import { describe, expect, it } from 'vitest';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { commandsGot } from '../../support/database-within.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

const admin = await anAdmin();
const [ann, bob]: [Account, Account] = [await anAccount(), await anAccount()];

describe('the list of all rooms, with the database within the process', () => {
  it('is read again after each change of a room, and only then', async () => {
    const room = await aRoom({ owner: ann });
    const changes = [
      () => aRoom({ name: 'Another', owner: ann }),
      () => succeed(call('PATCH', room.path, { token: ann.token, body: { name: 'Renamed', is_open: false } })),
      () => addMember(room, bob),
      () => aMessage(ann, room.id),
      () => succeed(call('DELETE', room.path, { token: admin.token })),
    ];
    for (const change of changes) {
      await change();
      expect(await list()).toEqual(await pageByPage());
      expect(await commandsGot(list)).toEqual([]);
    }
    await call('PATCH', '/api/users/me', {
      token: bob.token,
      body: { email: 'new@example.org', current_password: bob.password },
    });
    expect((await commandsGot(list)).filter((command) => command.get('find') === 'rooms')).toEqual([]);
  });
});

const list = async () => (await succeed(call('GET', '/api/rooms', { token: admin.token }))).body;

/** The same by another way. */
const pageByPage = async () => (await succeed(call('GET', '/api/rooms?limit=200', { token: admin.token }))).body;
