import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { type Account, anAccount, anAdmin } from '../../support/accounts.ts';
import { commandsGot, useDatabaseWithin } from '../../support/database-within.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, memberId, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

await useDatabaseWithin();

describe('the newest page of a room, with the database within the process', () => {
  it('the newest page of a room is not queried while no room and no account changes, and is current after each change', async () => {
    const [ann, bob, gone, admin] = await Promise.all([anAccount(), anAccount(), anAccount(), anAdmin()]);
    const room = await aRoom({ owner: ann, members: [bob, gone] });
    const { _id } = await aMessage(bob, room.id);
    await aMessage(gone, room.id);
    const one = `/api/messages/${_id.$oid}`;
    const { token } = bob;
    const changes: [string, () => Promise<unknown>][] = [
      ['a message', () => aMessage(ann, room.id)],
      ['an edit', () => succeed(call('PATCH', one, { token, body: { text: 'Changed' } }))],
      ['a reaction', () => succeed(call('PUT', `${one}/reactions/owl`, { token, body: {} }))],
      ['a deletion', () => succeed(call('DELETE', one, { token }))],
      ['an account that is deleted', () => unnamed(gone)],
    ];
    for (const [what, change] of changes) {
      await untilKnown(room.id, ann);
      const before = await newest(room.id, ann);
      await change();
      expect(await newest(room.id, ann), what).not.toEqual(before);
      expect(await newest(room.id, ann), what).toEqual(await notKept(room.id, ann));
    }
    await untilKnown(room.id, ann);
    expect((await commandsGot(() => newest(room.id, admin))).map((command) => command.get('aggregate'))).toContain('rooms');
  });

  it('the newest page of a room is not served to removed readers or after the room was deleted', async () => {
    const [ann, bob, admin] = await Promise.all([anAccount(), anAccount(), anAdmin()]);
    const room = await aRoom({ owner: ann, members: [bob], is_open: false });
    await aMessage(ann, room.id);
    await untilKnown(room.id, bob);
    await succeed(call('DELETE', `/api/members/${await memberId(room, bob)}`, { token: ann.token }));
    expect((await read(room.id, bob)).status).toBe(403);
    await addMember(room, bob);
    await untilKnown(room.id, bob);
    await succeed(call('DELETE', room.path, { token: admin.token }));
    expect((await read(room.id, bob)).status).toBe(404);
  });
});

const read = (room: string, { token }: Account) => call('GET', `/api/messages?room=${room}&limit=100`, { token });
const newest = async (room: string, account: Account) => (await succeed(read(room, account))).body;

/** Reads the page through a request that is not cached. */
const notKept = async (room: string, { token }: Account) =>
  (await succeed(call('GET', `/api/messages?room=${room}&limit=100&before=1000000`, { token }))).body;

/** Reads until the page is cached and all writes have ended. */
const untilKnown = (room: string, account: Account) => expect.poll(() => commandsGot(() => newest(room, account))).toEqual([]);

const unnamed = ({ id }: Account) =>
  database.collection('users').updateOne({ _id: new ObjectId(id) }, { $unset: { username: '' } });
