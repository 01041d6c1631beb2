import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { commandsGot, useDatabaseWithin } from '../../support/database-within.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoom, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

await useDatabaseWithin();

const users = database.collection('users');

describe('the authors of messages, with the database within the process', () => {
  it('the authors of messages are not queried again while no account changes', async () => {
    const ann = await anAccount();
    const room = await aRoom({ owner: ann });
    await aMessage(ann, room.id);
    for (const path of [`/api/messages?room=${room.id}&before=9`, `/api/events?room=${room.id}&after=0`]) {
      await anAccount();
      expect(await asked(path, ann)).toContain('users');
      expect(await asked(path, ann)).not.toContain('users');
      await aMessage(ann, room.id);
      expect(await asked(path, ann)).not.toContain('users');
    }
  });

  it('the authors of messages have their present names, and a deleted account has none', async () => {
    const [ann, bob, gone] = await Promise.all([anAccount(), anAccount(), anAccount()]);
    const room = await aRoom({ owner: ann, members: [bob, gone] });
    for (const author of [ann, bob, gone, bob]) await aMessage(author, room.id);
    const names = async () => (await page(room.id, ann)).map(({ username }) => username);
    expect(await names()).toEqual([ann, bob, gone, bob].map(({ username }) => username));

    await users.updateOne({ _id: new ObjectId(bob.id) }, { $set: { username: `${bob.username}.2` } });
    await succeed(call('DELETE', '/api/users/me', { token: gone.token, body: { current_password: gone.password } }));
    expect(await names()).toEqual([ann.username, `${bob.username}.2`, '(deleted)', `${bob.username}.2`]);
    const one = (await page(room.id, ann)).map(({ _id }) => call('GET', `/api/messages/${_id.$oid}`, { token: ann.token }));
    expect((await Promise.all(one)).map(({ body }) => body)).toEqual(await page(room.id, ann));
  });
});

const page = async (room: string, { token }: Account) =>
  (await succeed(call('GET', `/api/messages?room=${room}&before=9`, { token }))).body as {
    _id: { $oid: string };
    username: string;
  }[];

/** The collections that are read for a request, including joined ones. */
async function asked(path: string, { token }: Account): Promise<unknown[]> {
  const got = await commandsGot(() => succeed(call('GET', path, { token })));
  return got
    .filter((command) => command.get('aggregate') !== 'tokens')
    .flatMap((command) => [
      command.get('aggregate') ?? command.get('find'),
      ...JSON.stringify(command.get('pipeline') ?? []).matchAll(/"\$lookup"/g),
    ]);
}
