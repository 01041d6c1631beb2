import { describe, expect, it } from 'vitest';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { addMember, aRoom, everyPage, memberId, storedRooms, succeed } from '../../support/rooms.ts';
import { commandsOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

useOwnDatabase();
await useDatabaseOutside();

const [admin, ann, bob] = await Promise.all([anAdmin(), anAccount(), anAccount()]);

describe('the list of all rooms', () => {
  it('the list of all rooms shows each change to the next reader, by one query', async () => {
    const room = await aRoom({ name: 'One', owner: ann });
    const others = await Promise.all(['Two', 'Three', 'Four'].map((name) => aRoom({ name, owner: ann })));
    expect(await list()).toHaveLength(4);
    const { token } = ann;
    const path = `/api/members/${await memberId(room, ann)}`;
    const changes: [string, () => Promise<unknown>][] = [
      ['a name', () => succeed(call('PATCH', room.path, { token, body: { name: 'Other' } }))],
      ['closed', () => succeed(call('PATCH', room.path, { token, body: { is_open: false } }))],
      ['hidden', () => succeed(call('PATCH', room.path, { token, body: { is_visible: false } }))],
      ['a member', () => addMember(room, bob)],
      [
        'an owner',
        async () => succeed(call('PATCH', `/api/members/${await memberId(room, bob)}`, { token, body: { role: 'owner' } })),
      ],
      ['one who left', () => succeed(call('DELETE', path, { token }))],
      ['a deleted account', () => deletedAccountIn(others[0] as { id: string })],
      ['a new room', () => aRoom({ name: 'Five', owner: bob })],
      ['no such room', () => succeed(call('DELETE', room.path, { token: admin.token }))],
    ];
    for (const [what, change] of changes) {
      await Promise.all([list(), pages()]);
      await change();
      const rooms = await storedRooms();
      expect({ what, all: await list(), pages: await pages() }).toEqual({ what, all: rooms, pages: rooms });
    }
    expect(await readsOf(list)).toEqual([['find rooms', undefined]]);
  });

  it('the list of all rooms is whole for everyone while rooms come, change and go', async () => {
    let isOver = false;
    const lists: ListedRoom[][] = [];
    const readers = Array.from({ length: 3 }, async () => {
      while (!isOver) lists.push(await list());
    });
    await aRoom({ name: 'Kept', owner: ann });
    for (let round = 0; round < 15; round++) {
      const room = await aRoom({ name: `Round ${round}`, owner: ann });
      expect(await names()).toContain(`Round ${round}`);
      await succeed(call('PATCH', room.path, { token: ann.token, body: { name: `Renamed ${round}` } }));
      expect(await names()).toEqual(expect.arrayContaining(['Kept', `Renamed ${round}`]));
      await succeed(call('DELETE', room.path, { token: admin.token }));
      expect(await names()).not.toContain(`Renamed ${round}`);
    }
    isOver = true;
    await Promise.all(readers);
    for (const one of lists) {
      const ids = one.map(({ _id }) => _id.$oid);
      expect(ids).toEqual([...new Set(ids)].sort());
    }
    expect(await names()).toContain('Kept');
  });
});

type ListedRoom = { _id: { $oid: string }; name: string };

const list = async () => (await succeed(call('GET', '/api/rooms', { token: admin.token }))).body as ListedRoom[];
const names = async () => (await list()).map(({ name }) => name);

/** All pages of the list, with two rooms each. */
const pages = () => everyPage(call, '/api/rooms?limit=2', admin.token);

/** The commands that read the rooms, and the number of rooms that each requested by id. */
const readsOf = async (work: () => Promise<unknown>) =>
  (await commandsOf(work))
    .filter(({ collection }) => collection === 'rooms')
    .map(({ name, collection, command }) => [`${name} ${collection}`, command.filter._id?.$in.length]);

async function deletedAccountIn(room: { id: string }): Promise<void> {
  const gone: Account = await anAccount();
  await addMember({ ...room, path: '', owner: ann }, gone);
  await list();
  await succeed(call('DELETE', '/api/users/me', { token: gone.token, body: { current_password: gone.password } }));
}
